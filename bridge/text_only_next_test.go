package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// The next review of a file that an agent may write waits until it has: it is compared with what was written. It does not
// wait for long when nothing is written.
func TestTextOnlyNextWaits(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		path := filepath.Join(d.dir, "a.txt")
		one := func(line int, to string) (ended chan review.FileOutcome) {
			ended = make(chan review.FileOutcome, 1)
			go func() {
				out, err := d.n.Review(t.Context(), review.Proposal{Tool: "test", TextOnly: true, Files: []review.File{{
					Path: "a.txt", Abs: path, Name: "a.txt",
					Draft: func(current hunks.Text) (*hunks.Patch, error) {
						lines := strings.Split(current.Body, "\n")
						lines[line] = to
						return hunks.Diff(current, strings.Join(lines, "\n")), nil
					},
				}}}, nil)
				if err != nil {
					t.Error(err)
					out = &review.Outcome{Files: make([]review.FileOutcome, 1)}
				}
				ended <- out.Files[0]
			}()
			return ended
		}
		// Neovim opens a review when it waits for keys, not while it answers us.
		until := func(chunk string, arg any) {
			t.Helper()
			for begun := time.Now(); ; time.Sleep(time.Millisecond) {
				var met bool
				if d.lua(&met, chunk, arg); met {
					return
				}
				if time.Since(begun) > patience {
					t.Fatalf("not met: %s %v", chunk, arg)
				}
			}
		}
		open := func(text string) {
			t.Helper()
			until("return vim.fn.search('^+' .. ... .. '$', 'nw') > 0", text)
		}
		if err := os.WriteFile(path, []byte(text("a", "b", "c")), 0o600); err != nil {
			t.Fatal(err)
		}
		first := one(0, "A")
		open("A")
		second := one(1, "B")
		until("return #require('agent_diff').reviews() == ...", 2)
		third := one(2, "C")
		until("return #require('agent_diff').reviews() == ...", 3)
		// The agent takes its time, but not as long as it has.
		d.lua(nil, `local now, at = vim.uv.now, vim.uv.now()
			vim.uv.now = function() return at end
			_G.tick = function() vim.uv.now = now end`)
		d.do("press", "A")
		got := await(t, "the first", first)
		for range 50 {
			d.lua(nil, "")
		}
		if err := os.WriteFile(path, []byte(got.Text.Raw()), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.n.Reload(within(t), path); err != nil {
			t.Fatal(err)
		}
		d.lua(nil, `_G.tick()`)
		open("B")
		d.do("press", "A")
		if got := await(t, "the second", second); got.Text.Raw() != text("A", "B", "c") || got.Unwritable != "" {
			t.Errorf("the second writes %q; %s", got.Text.Raw(), got.Unwritable)
		}
		open("C") // although nothing was written
		d.do("press", "A")
		if got := await(t, "the third", third); got.Text.Raw() != text("A", "b", "C") {
			t.Errorf("the third writes %q", got.Text.Raw())
		}
	})
}
