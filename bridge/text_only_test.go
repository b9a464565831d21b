package bridge

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// newTextDesk is a desk whose reviews touch neither buffers nor files.
func newTextDesk(t *testing.T, bin string) *desk {
	t.Helper()
	d := newDesk(t, bin)
	d.textOnly = true
	return d
}

// editor is what a review that touches nothing leaves as it was: buffers with their texts, windows, tab pages.
func (d *desk) editor() (s string) {
	d.t.Helper()
	d.lua(&s, `
		local bufs = {}
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			bufs[#bufs + 1] = { vim.api.nvim_buf_get_name(b), vim.b[b].changedtick, vim.bo[b].modified, vim.bo[b].buflisted,
				vim.api.nvim_buf_get_lines(b, 0, -1, false) }
		end
		return vim.inspect({ bufs, vim.api.nvim_list_wins(), vim.api.nvim_list_tabpages() })`)
	return s
}

// gitApplied is what Git makes of a file when some hunks of the patch are applied to it.
func gitApplied(t *testing.T, base string, p *hunks.Patch, keep ...int) string {
	t.Helper()
	if len(keep) == 0 {
		return base
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if !p.Base.Missing {
		if err := os.WriteFile(name, []byte(base), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chosen := p.Select(func(id int) bool { return slices.Contains(keep, id) })
	git := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	git.Dir, git.Stdin = dir, strings.NewReader(chosen.Print("f", "f").Text)
	git.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// What may be written is, byte for byte, what Git makes of the accepted hunks; the file, the person's buffer of it and
// the windows are as before.
func TestTextOnlyBytes(t *testing.T) {
	long := func(first, last string) string {
		return first + strings.Repeat("between\n", 12) + last
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	cases := []struct {
		name, base, modified string
	}{
		{"LF", long("a\n", "z\n"), long("A\nAA\n", "Z\n")},
		{"CRLF", crlf(long("a\n", "z\n")), long("A\nAA\n", "Z\n")},
		{"BOM", "\uFEFF" + long("a\n", "z\n"), long("A\n", "")},
		{"BOM and CRLF", "\uFEFF" + crlf(long("a\n", "z\n")), long("", "Z\n")},
		{"mixed ends", long("a\r\n", "z\n"), long("A\r\n", "Z\r\n")},
		{"no final newline", long("a\n", "z"), long("A\n", "Z")},
		{"it loses its final newline", long("a\n", "z\n"), long("A\n", "z")},
		{"it gets a final newline", long("a\n", "z"), long("A\n", "z\n")},
		{"not UTF-8", long("a\xe9\n", "z\xff\n"), long("A\xe9\n", "Z\xff\n")},
		{"one empty line", "\n", "text\n"},
		{"empty", "", "text"},
		{"emptied", "text\n", ""},
	}
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		for _, c := range cases {
			runs := map[string][]int{"R": nil, "uA": {1}}
			if len(hunks.Diff(hunks.NewText(c.base), c.modified).Hunks) == 2 {
				runs = map[string][]int{"A": {1, 2}, "arq": {1}, "raq": {2}}
			}
			for keys, keep := range runs {
				name := strings.ReplaceAll(c.name, " ", "_") + keys
				path := filepath.Join(d.dir, name)
				if err := os.WriteFile(path, []byte(c.base), 0o600); err != nil {
					t.Fatal(err)
				}
				d.lua(nil, "vim.cmd.edit(...)", path)
				before := d.editor()
				r := d.open(name, c.base, c.modified)
				r.do("press", keys)
				f := r.text()
				if want := gitApplied(t, c.base, r.patch, keep...); f.Text.Raw() != want || f.Unwritable != "" {
					t.Errorf("%s, %s: composed %q, Git makes %q; %s", c.name, keys, f.Text.Raw(), want, f.Unwritable)
				}
				if raw, _ := os.ReadFile(path); string(raw) != c.base {
					t.Errorf("%s, %s: the file now holds %q", c.name, keys, raw)
				}
				if after := d.editor(); after != before {
					t.Errorf("%s, %s: Neovim was\n%s\nand is\n%s", c.name, keys, before, after)
				}
			}
		}
	})
}

// text is what became of the only file, when the review ends by a decision.
func (r *reviewing) text() review.FileOutcome {
	r.t.Helper()
	out, err := r.outcome()
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Files[0]
}

// What the person changes in the text under review is in what may be written, and is told; `u` takes decisions back.
func TestTextOnlyEdited(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		base, modified := text("a", "b", "c", "d", "e"), text("a", "B", "c", "d", "e")
		r := d.open("a.go", base, modified)
		if r.lua(&modified, "return vim.bo[require('agent_diff').reviews()[1].source_bufnr].filetype"); modified != "go" {
			t.Errorf("the text's filetype is %q", modified)
		}
		r.do("press", "a")
		r.do("type", 1, "u")
		if now := r.look(); now.states[0] != "pending" || now.text != base {
			t.Errorf("after u: %+v", now)
		}
		r.do("press", "a")
		r.do("set", 4, 5, []string{"E", "F"})
		r.look()
		r.do("press", "q")
		f := r.text()
		if want := text("a", "B", "c", "d", "E", "F"); f.Text.Raw() != want {
			t.Errorf("composed %q, should be %q", f.Text.Raw(), want)
		}
		if !strings.Contains(f.UserDiff, "+E\n+F\n") {
			t.Errorf("the person's change is told as %q", f.UserDiff)
		}
	})
}

// A new file: its text when it is accepted, none when it is not; it is never there.
func TestTextOnlyNewFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		for keys, want := range map[string]hunks.Text{"A": {Body: "one\r\ntwo"}, "R": {Missing: true}} {
			p := review.Proposal{Tool: "test", TextOnly: true, Files: []review.File{{
				Path: "new/a", Abs: filepath.Join(d.dir, "new/a"), Name: "new/a",
				Draft: func(current hunks.Text) (*hunks.Patch, error) { return hunks.Place(current, "", "one\r\ntwo") },
			}}}
			r := d.begin(p)
			r.do("press", keys)
			if f := r.text(); f.Text != want || f.Unwritable != "" {
				t.Errorf("%s: %+v", keys, f)
			}
			if _, err := os.Lstat(filepath.Join(d.dir, "new")); err == nil {
				t.Errorf("%s: a folder was made", keys)
			}
		}
	})
}

// A text that must not be written, because the person's changes or another program's would be lost: that is said, and only
// where something was accepted.
func TestTextOnlyUnwritable(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		cases := []struct{ name, before, meanwhile, keys, want string }{
			{"unsaved", "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })", "", "A", "not saved"},
			{"unsaved, rejected", "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })", "", "R", ""},
			{
				"taken back meanwhile", "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' }) b = vim.fn.bufnr()",
				"vim.api.nvim_buf_call(b, function() vim.cmd.edit({ bang = true }) end)", "A", "",
			},
			{
				"saved meanwhile", "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' }) b = vim.fn.bufnr()",
				"vim.api.nvim_buf_call(b, vim.cmd.write)", "A", "changed during the review",
			},
			{"removed meanwhile", "f = vim.api.nvim_buf_get_name(0)", "vim.uv.fs_unlink(f)", "A", "changed during the review"},
		}
		for _, c := range cases {
			name := strings.ReplaceAll(c.name, " ", "_")
			path := filepath.Join(d.dir, name)
			if err := os.WriteFile(path, []byte(text("a", "b")), 0o600); err != nil {
				t.Fatal(err)
			}
			d.lua(nil, "vim.cmd.edit(...)", path)
			d.lua(nil, c.before)
			r := d.begin(review.Proposal{Tool: "test", TextOnly: true, Files: []review.File{{
				Path: name, Abs: path, Name: name,
				Draft: func(current hunks.Text) (*hunks.Patch, error) { return hunks.Diff(current, text("a", "B")), nil },
			}}})
			var noted bool
			r.lua(&noted, "return vim.fn.search('unsaved changes in this file', 'nw') > 0")
			if noted != strings.HasPrefix(c.before, "vim.api.nvim_buf_set_lines") {
				t.Errorf("%s: that there are unsaved changes is said: %v", c.name, noted)
			}
			r.lua(nil, c.meanwhile)
			r.do("press", c.keys)
			f := r.text()
			if (c.want == "") != (f.Unwritable == "") || !strings.Contains(f.Unwritable, c.want) {
				t.Errorf("%s: %q, should say %q", c.name, f.Unwritable, c.want)
			}
		}
	})
}

// Two files in one review: each has its text.
func TestTextOnlyFiles(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		p := review.Proposal{Tool: "test", TextOnly: true}
		for _, name := range []string{"a", "b"} {
			path := filepath.Join(d.dir, name)
			if err := os.WriteFile(path, []byte(name+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			p.Files = append(p.Files, review.File{Path: name, Abs: path, Name: name, Draft: func(current hunks.Text) (*hunks.Patch, error) {
				return hunks.Diff(current, "new "+name+"\n"), nil
			}})
		}
		before := d.editor()
		r := d.begin(p)
		r.do("press", "raq")
		out, err := r.outcome()
		if err != nil || out.Files[0].Text.Raw() != "a\n" || out.Files[1].Text.Raw() != "new b\n" {
			t.Errorf("%+v, %v", out, err)
		}
		if after := d.editor(); after != before {
			t.Errorf("Neovim was\n%s\nand is\n%s", before, after)
		}
	})
}

// However it ends without a decision, nothing is said to have been changed, and nothing is left in Neovim.
func TestTextOnlyEnds(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		base, modified := text("a", "b"), text("a", "B")
		end := func(what string, code review.Code, r *reviewing) {
			t.Helper()
			out, err := r.outcome()
			known, ok := errors.AsType[*review.Error](err)
			if !ok || known.Code != code || !strings.Contains(known.Text, "Nothing was changed.") {
				t.Errorf("%s: %+v, %v", what, out, err)
			}
		}
		before := d.editor()
		r := d.open("a.txt", base, modified)
		r.do("press", "a")
		r.lua(nil, "vim.api.nvim_buf_delete(require('agent_diff').reviews()[1].source_bufnr, { force = true })")
		end("the text is closed", review.Cancelled, r)
		if after := d.editor(); after != before {
			t.Errorf("Neovim was\n%s\nand is\n%s", before, after)
		}

		r = d.open("a.txt", base, modified)
		r.do("press", "a")
		_ = d.nvim.Lua(within(t), nil, "vim.cmd.qall({ bang = true })")
		end("Neovim is left", review.EditorLost, r)

		d = newTextDesk(t, bin)
		r = d.open("a.txt", base, modified)
		r.do("press", "a")
		d.instance.kill()
		end("Neovim is killed", review.EditorLost, r)
	})
}

// After another program has written a file its buffer is read again, without a question; what is not saved is kept, and the
// person is told; writing it then still asks.
func TestReload(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newDesk(t, bin)
		for _, name := range []string{"clean", "changed", "new"} {
			path := filepath.Join(d.dir, name)
			write := func(s string) {
				if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if name != "new" {
				write("one\n")
			}
			d.lua(nil, "vim.cmd.edit(...) vim.bo.autoread = false", path)
			want := "two"
			if name == "changed" {
				d.lua(nil, "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine' })")
				want = "mine"
			}
			write("two\nthree\n")
			if err := d.n.Reload(within(t), path); err != nil {
				t.Error(err)
			}
			var line, said string
			d.lua(&line, "return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]")
			d.lua(&said, `
				if ... == 'changed' then vim.wait(2000, function() return vim.fn.execute('messages'):find('unsaved') end, 5) end
				return vim.fn.execute('messages')`, name)
			if line != want || strings.Contains(said, "your unsaved changes stay") != (name == "changed") {
				t.Errorf("%s: the buffer holds %q, messages %q", name, line, said)
			}
			d.lua(nil, "vim.cmd('messages clear | bwipeout!')")
		}
		if err := d.n.Reload(within(t), filepath.Join(d.dir, "not loaded")); err != nil {
			t.Error(err)
		}
	})
}

// Parts of a hunk, and the person's own version of one, are composed as they were decided.
func TestTextOnlyParts(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newTextDesk(t, bin)
		base, modified := text("a", "b", "c", "d", "e"), text("A", "b", "C", "d", "E")
		for keys, want := range map[string]string{
			"saraq":                 text("A", "b", "c", "d", "E"),
			"sraaq":                 text("a", "b", "C", "d", "E"),
			"eggcwMine<Esc>:w<CR>q": text("Mine", "b", "C", "d", "E"),
		} {
			r := d.open(keys[:2], base, modified)
			r.do("press", keys)
			if f := r.text(); f.Text.Raw() != want || f.Unwritable != "" {
				t.Errorf("%s: composed %q, should be %q; %s", keys, f.Text.Raw(), want, f.Unwritable)
			}
		}
	})
}
