package bridge

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// A review that ends with an error is answered as soon as one that ends with a decision.
func TestErrorsAreAnsweredAtOnce(t *testing.T) {
	d := newDesk(t, anyNvim(t))
	r := d.open("a.txt", text("a"), text("A"))
	d.do("set", 0, 1, []string{"other"})
	d.do("press", "a") // it does not fit any more
	begin := time.Now()
	d.do("press", "qy")
	_, err := r.outcome()
	if known, ok := errors.AsType[*review.Error](err); !ok || known.Code != review.StaleOriginal {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > goodbye/2 {
		t.Errorf("it took %v", took)
	}
}

// What is given up before it was sent is cancelled before it comes: it must not come up then, with nobody behind it.
func TestCancelledBeforeItCame(t *testing.T) {
	d := newDesk(t, anyNvim(t))
	path := writeFile(t, d.dir+"/a.txt")
	ctx := within(t)
	e, err := attach(ctx, d.instance.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.client.Close()
	for method, request := range map[string]any{
		"enqueue": wireRequest{Ref: 1, Paths: []string{path}, Name: "a.txt"}, "ask": wireQuestion{Ref: 2, Path: path, Name: "a.txt"},
	} {
		ref := map[string]int{"enqueue": 1, "ask": 2}[method]
		if err := e.call(ctx, nil, nil, "cancel", ref, true); err != nil {
			t.Fatal(err)
		}
		err := e.call(ctx, nil, nil, method, request)
		if fromLua, ok := errors.AsType[*LuaError](err); !ok || !strings.Contains(fromLua.Text, "cancelled already") {
			t.Errorf("%s: %v", method, err)
		}
	}
	var waiting int
	d.lua(&waiting, "return #require('agent_diff.queue').list()")
	if waiting != 0 {
		t.Errorf("%d wait for the person", waiting)
	}
}

// A pipe in the place of a file, put there after Neovim has read it, is not waited for.
func TestPipeInTheWay(t *testing.T) {
	d := newDesk(t, anyNvim(t))
	path := writeFile(t, d.dir+"/a.txt")
	if _, err := d.n.Read(within(t), path); err != nil { // so that our Lua is there
		t.Fatal(err)
	}
	d.lua(nil, `local Review = getmetatable(require('agent_diff.review').new('0', { paths = {}, shown = {} })).__index
		local load = Review.load
		function Review:load(path)
			local answer = load(self, path)
			os.remove(path)
			vim.fn.system({ 'mkfifo', path })
			return answer
		end`)
	seen := errors.New("its text is what Neovim has")
	_, err := d.n.Review(within(t), review.Proposal{Files: []review.File{{
		Path: "a.txt", Abs: path, Name: "a.txt", Draft: func(hunks.Text) (*hunks.Patch, error) { return nil, seen },
	}}}, nil)
	if err == nil || !strings.Contains(err.Error(), seen.Error()) {
		t.Error(err)
	}
}
