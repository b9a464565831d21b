package screen_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

const patience = time.Minute

func start(t *testing.T, nvim string) *screen.Screen {
	return screentest.Start(t, screen.Options{Nvim: nvim, Dir: t.TempDir(), Width: 40, Height: 10})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTyping(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Input("ihello <lt>world><CR>日本<Esc>"))
		must(t, s.WaitText(patience, "hello <world>"))
		must(t, s.Wait(patience, "normal mode on the second line", func(shot *screen.Snapshot) bool {
			row, col := shot.Cursor()
			return shot.Mode == "normal" && row == 1 && col == 2
		}))
		if got := s.Snapshot().Row(1); got != "日本" {
			t.Errorf("wide characters: got %q", got)
		}
	})
}

// What a long text looks like after scrolling is what Neovim says stands in the window.
func TestScrolling(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Lua(nil, `
			local lines = {}
			for i = 1, 200 do lines[i] = ('%d 日本 %s.'):format(i, ('x'):rep(i % 7)) end
			vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
			vim.cmd('vsplit | wincmd l')`))
		for i, keys := range []string{"50G", "<C-e><C-e>", "<C-y>", "<C-d>", "<C-u>", "G", "gg", "zt10j", "5dd", "u"} {
			// What it drew before it saw the keys must not count.
			must(t, s.Input(fmt.Sprintf("%s<Cmd>let g:done = %d<CR>", keys, i+1)))
			must(t, s.Wait(patience, "the lines in the right window after "+keys, func(shot *screen.Snapshot) bool {
				var want []string
				if err := s.Lua(&want, `
					local top = vim.fn.line('w0')
					return vim.g.done == ... and vim.api.nvim_buf_get_lines(0, top - 1, top + 6, true) or {}`, i+1); err != nil {
					t.Fatal(err)
				}
				for i, line := range want {
					_, right, _ := strings.Cut(shot.Row(i), "│")
					if right != line {
						return false
					}
				}
				return len(want) > 0
			}))
		}
	})
}

func TestColours(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Lua(nil, `
			vim.o.termguicolors = true
			vim.api.nvim_set_hl(0, 'Mine', { fg = '#123456', bg = '#abcdef', bold = true })
			vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'some text' })
			vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('x'), 0, 5, { end_col = 9, hl_group = 'Mine' })`))
		must(t, s.Wait(patience, "the highlighted word", func(shot *screen.Snapshot) bool {
			row, col, ok := shot.Find("text")
			a := shot.Attrs(row, col)
			return ok && a.Foreground == 0x123456 && a.Background == 0xabcdef && a.Bold
		}))
		if got := s.ANSI(); !strings.Contains(got, "1;38;2;18;52;86;48;2;171;205;239mtext") {
			t.Errorf("ANSI: got %q", got)
		}
	})
}

// A prompt is seen, does not hang us, and keys get past it.
func TestPrompt(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Input(`:echo "one\ntwo\nthree"<CR>`))
		must(t, s.WaitText(patience, "Press ENTER"))
		if _, blocking, err := s.Mode(); err != nil || !blocking {
			t.Errorf("blocking %v, %v", blocking, err)
		}
		must(t, s.Input("<CR>"))
		must(t, s.Lua(nil, `return 1`))
	})
}

func TestListen(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Listen("User", "Mine*"))
		must(t, s.Lua(nil, `vim.defer_fn(function()
			vim.api.nvim_exec_autocmds('User', { pattern = 'MineOne', data = { n = 3 } })
		end, 20)`))
		must(t, s.Wait(patience, "the event", func(*screen.Snapshot) bool { return len(s.Events()) == 1 }))
		if e := s.Events()[0]; e.Name != "User" || e.Match != "MineOne" || e.Data == nil {
			t.Errorf("got %+v", e)
		}
	})
}

// A condition is seen when it comes to hold, on the screen or not, in any mode.
func TestUntil(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		later := `vim.defer_fn(function() vim.g.mine = ... end, 20)`
		for i, keys := range []string{"", "ihello", "<Esc>v", "<Esc>:edi", "<C-c>:terminal<CR>i"} {
			must(t, s.Input(keys))
			must(t, s.Lua(nil, strings.Replace(later, "...", fmt.Sprint(i), 1)))
			must(t, s.Until(patience, "the variable is set", `return vim.g.mine == ...`, i))
		}
		// Where it shows nowhere and no SafeState comes: while a key is waited for.
		must(t, s.Input(`<C-\><C-n>:call getchar()<CR>`))
		must(t, s.WaitText(patience, ":call getchar()"))
		must(t, s.Lua(nil, `vim.defer_fn(function() vim.g.mine = 'late' end, 50)`))
		must(t, s.Until(patience, "the variable is set", `return vim.g.mine == 'late'`))
		must(t, s.Input("x"))
		if err := s.Until(time.Millisecond, "what never is", `return false`); !errors.Is(err, screen.ErrTimeout) {
			t.Errorf("got %v", err)
		}
		if err := s.Until(patience, "nonsense", `return nonsense.x`); err == nil || errors.Is(err, screen.ErrTimeout) {
			t.Errorf("a wrong chunk says so: got %v", err)
		}
		var left int
		must(t, s.Lua(&left, `return #vim.api.nvim_get_autocmds({ event = 'SafeState' }) + vim.tbl_count(_G.screen_watches or {})`))
		if left != 0 {
			t.Errorf("%d watches are left", left)
		}
	})
}

// A text that is not there any more is not seen, however late the frame without it comes; nor one that waits for a prompt.
func TestCatchUp(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := screentest.Start(t, screen.Options{Nvim: nvim, Width: 40, Height: 10, Lag: 30 * time.Millisecond})
		must(t, s.Input("ifirst<Esc>"))
		must(t, s.WaitText(patience, "first"))
		for i, keys := range []string{"ccsecond<Esc>", "", ":lua vim.uv.sleep(40)<CR>ccfourth<Esc>", "ccfifth"} {
			gone, there := s.Snapshot().Row(0), strings.Fields("second third fourth fifth")[i]
			must(t, s.Input(keys))
			if keys == "" {
				must(t, s.Lua(nil, `vim.api.nvim_set_current_line('third')`))
			}
			must(t, s.CatchUp(patience, "what was done"))
			if got := s.Snapshot(); got.Contains(gone) || !got.Contains(there) {
				t.Errorf("after %q:\n%s", keys, got.Text())
			}
		}
		must(t, s.Input(`<Esc>:echo "one\ntwo\nthree"<CR>`))
		must(t, s.WaitText(patience, "Press ENTER"))
		must(t, s.CatchUp(patience, "the prompt"))
		must(t, s.Input("<CR>"))
		must(t, s.WaitText(patience, "fifth"))
		s.Kill()
		must(t, s.CatchUp(patience, "the end"))
	})
}

func TestWaitFails(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		must(t, s.Input("iwhat is there"))
		must(t, s.WaitText(patience, "what is there"))
		err := s.WaitText(time.Millisecond, "what is not")
		if !errors.Is(err, screen.ErrTimeout) || !strings.Contains(err.Error(), "| what is there") {
			t.Errorf("the error shows the screen: %v", err)
		}
		s.Kill()
		if err := s.WaitText(patience, "what is not"); !errors.Is(err, screen.ErrGone) {
			t.Errorf("a killed Neovim: %v", err)
		}
		if err := s.Input("x"); err == nil {
			t.Error("a killed Neovim took a key")
		}
	})
}

// A second UI on the same Neovim sees the same, and going away leaves it be.
func TestAttach(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		s := start(t, nvim)
		other, err := screen.Attach(s.Addr(), 40, 10)
		must(t, err)
		must(t, s.Input("ihello"))
		must(t, other.WaitText(patience, "hello"))
		must(t, other.Close())
		var uis int
		must(t, s.Lua(&uis, `return #vim.api.nvim_list_uis()`))
		if uis != 1 {
			t.Errorf("%d UIs are left", uis)
		}
		if _, err := screen.Attach(filepath.Join(t.TempDir(), "none"), 0, 0); err == nil {
			t.Error("attached to nothing")
		}
	})
}

// An ordinary Neovim, but not with this machine's user's things; and nothing is left of it.
func TestPrivateAndClosed(t *testing.T) {
	screentest.Each(t, func(t *testing.T, nvim string) {
		before := runtime.NumGoroutine()
		s, err := screen.Start(screen.Options{Nvim: nvim, Env: []string{"MINE=1"}})
		must(t, err)
		var got []string
		must(t, s.Lua(&got, `return { vim.env.HOME, vim.fn.stdpath('config'), vim.fn.stdpath('state'), vim.fn.tempname(),
			vim.env.XDG_RUNTIME_DIR, vim.v.servername }`))
		dir := filepath.Dir(s.Addr())
		for _, path := range got {
			if !strings.HasPrefix(path, dir+"/") {
				t.Errorf("%s is not below %s", path, dir)
			}
		}
		var mine string
		must(t, s.Lua(&mine, `return vim.env.MINE`))
		if mine != "1" {
			t.Error("the further environment is missing")
		}
		must(t, s.Input("iunsaved"))
		must(t, s.Close())
		must(t, s.Close())
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the private folder is left: %v", err)
		}
		if _, err := net.Dial("unix", s.Addr()); err == nil {
			t.Error("it still runs")
		}
		goroutines(t, before)
	})
}

// goroutines fails when more are running than before, once those that are ending have ended.
func goroutines(t *testing.T, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("goroutines: %d before, %d now\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
}
