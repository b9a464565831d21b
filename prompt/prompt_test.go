package prompt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/test/golden"
)

// patience is how long a test waits for an event that has to come.
const patience = time.Minute

// person sits at a terminal: a pseudo-terminal, whose other end a reviewer has.
type person struct {
	t        *testing.T
	master   *os.File
	seen     chan string // what came since the last look, in pieces
	all      strings.Builder
	unread   string // what came after the text of the last wait
	reviewer *Terminal
	result   chan result
	cancel   context.CancelFunc
}

type result struct {
	out *review.Outcome
	err error
}

// sit begins a review on a terminal of this size, with these variables.
func sit(t *testing.T, columns uint16, env map[string]string, p review.Proposal) *person {
	t.Helper()
	master, tty, err := pty.Open()
	must(t, err)
	must(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}))
	s := &person{t: t, master: master, seen: make(chan string, 1000), result: make(chan result, 1)}
	s.reviewer = New(tty, func(name string) string { return env[name] })
	go func() {
		defer close(s.seen)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			if err != nil {
				return
			}
			s.seen <- string(buffer[:n])
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	s.cancel = cancel
	go func() {
		out, err := s.reviewer.Review(ctx, p, nil)
		s.result <- result{out, err}
	}()
	t.Cleanup(func() {
		cancel()
		_ = tty.Close()
		_ = master.Close()
	})
	return s
}

// until waits for a text, after that of the last wait.
func (s *person) until(text string) *person {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		if _, rest, found := strings.Cut(s.unread, text); found {
			s.unread = rest
			return s
		}
		select {
		case piece, open := <-s.seen:
			if !open {
				s.t.Fatalf("the terminal ended; %q has not come:\n%s", text, s.all.String())
			}
			s.unread += piece
			s.all.WriteString(piece)
		case r := <-s.result:
			s.t.Fatalf("the review ended (%v, %v); %q has not come:\n%s", r.out, r.err, text, s.all.String())
		case <-deadline:
			s.t.Fatalf("%q has not come:\n%s", text, s.all.String())
		}
	}
}

// says types a line when the question is there.
func (s *person) says(question, line string) *person {
	s.t.Helper()
	s.until(question + "] ")
	_, err := s.master.WriteString(line + "\n")
	must(s.t, err)
	return s
}

// end waits for the end of the review.
func (s *person) end() result {
	s.t.Helper()
	select {
	case r := <-s.result:
		return r
	case <-time.After(patience):
		s.t.Fatalf("the review does not end:\n%s", s.all.String())
	}
	return result{}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// propose is a proposal of a file's new text.
func propose(root, name, modified string) review.Proposal {
	return review.Proposal{Tool: "write_file", Agent: "codex", Description: "Numbers in words.\nAll of them.", Root: root, Files: []review.File{want(root, name, modified)}}
}

func want(root, name, modified string) review.File {
	return review.File{
		Path: name, Abs: filepath.Join(root, name), Name: name,
		Draft: func(current hunks.Text) (*hunks.Patch, error) {
			return hunks.Place(current, current.Raw(), modified)
		},
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
	must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	return string(raw)
}

// numbers are n lines, with the given ones replaced.
func numbers(n int, replaced map[int]string) string {
	var out strings.Builder
	for i := 1; i <= n; i++ {
		line, ok := replaced[i]
		if !ok {
			line = "line " + strings.Repeat("·", i%3)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

const (
	ofFileQuestion = "[y/n/v(iew full file)"
	ofHunkQuestion = "[a/r/p/n/v/s/c/C/A/R/q/?"
)

// TestScreens keeps what a person sees, on several kinds of terminals.
func TestScreens(t *testing.T) {
	long := "a line that is longer than a narrow terminal is wide, \twith a tab, \x1b[2J escapes, \u202e bidi and naïve ✓"
	base := numbers(30, nil)
	modified := numbers(30, map[int]string{2: "two", 20: long})
	utf8 := map[string]string{"LANG": "C.UTF-8", "TERM": "xterm"}
	tests := []struct {
		name    string
		columns uint16
		env     map[string]string
		answers []string // of the file's question, then of the hunks'
		want    string   // the modified file
	}{
		{"wide", 80, utf8, []string{"?", "v", "n"}, modified},
		{"narrow", 40, map[string]string{"LC_ALL": "en_US.utf8"}, []string{"h", "s", "a", "c", "too long", "r"}, modified},
		{"very-narrow", 16, map[string]string{"LC_CTYPE": "C.UTF-8", "NO_COLOR": "1"}, []string{"y"}, modified},
		{"no-color", 80, map[string]string{"LANG": "C.UTF-8", "NO_COLOR": "1"}, []string{"x", "h", "a", "q"}, modified},
		{"ascii", 60, map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C", "TERM": "dumb"}, []string{"y"}, modified},
		{"preview", 80, map[string]string{"LANG": "C.UTF-8", "NO_COLOR": "1"}, []string{"v", "n"}, base + numbers(40, nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a.txt", base)
			s := sit(t, tt.columns, tt.env, propose(root, "a.txt", tt.want))
			for _, answer := range tt.answers {
				question := "] "
				if answer == "too long" {
					question = "Comment: "
				}
				if tt.env["NO_COLOR"] == "" && tt.env["TERM"] != "dumb" {
					question = strings.TrimSuffix(question, " ") + "\x1b[m "
				}
				s.until(question)
				_, err := s.master.WriteString(answer + "\n")
				must(t, err)
			}
			r := s.end()
			must(t, r.err)
			golden.Check(t, tt.name+".txt", strings.NewReplacer("\r\n", "\n", "\x1b", "␛").Replace(s.all.String()))
		})
	}
}

// TestPager gives a long diff, and the whole file, to the pager, which no shell runs.
func TestPager(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", numbers(150, nil))
	pager := filepath.Join(root, "pager")
	write(t, root, "pager", "#!/bin/sh\nfor word; do echo \"<$word>\"; done\ncat >>\"$0.got\"\n")
	must(t, os.Chmod(pager, 0o755))
	env := map[string]string{"PAGER": pager + " -R  $HOME;echo", "NO_COLOR": "1", "LANG": "C.UTF-8"}
	s := sit(t, 80, env, propose(root, "a.txt", numbers(300, map[int]string{300: "\x1b[31mone"})))
	s.says(ofFileQuestion, "v").says(ofFileQuestion, "y")
	must(t, s.end().err)
	for _, word := range []string{"<-R>", "<$HOME;echo>"} {
		if strings.Count(s.all.String(), word) != 2 {
			t.Errorf("%s is not there twice:\n%s", word, s.all.String())
		}
	}
	got := read(t, root, "pager.got")
	if n := strings.Count(got, "\n+line"); n != 2*149 || strings.Count(got, "+^[[31mone\n") != 2 || strings.Contains(got, "\x1b") {
		t.Errorf("%d added lines, and:\n%s", n, got)
	}
	if !strings.Contains(s.all.String(), "more lines: v shows them") {
		t.Errorf("no preview:\n%s", s.all.String())
	}
}

// TestNoPager shows everything here when the pager is not there.
func TestNoPager(t *testing.T) {
	root := t.TempDir()
	s := sit(t, 80, map[string]string{"PAGER": "/no/such/pager", "NO_COLOR": "1", "LANG": "C.UTF-8"}, propose(root, "a.txt", numbers(150, map[int]string{150: "last"})))
	s.says(ofFileQuestion, "v").until("last").says(ofFileQuestion, "n")
	must(t, s.end().err)
	if !strings.Contains(s.all.String(), "The pager cannot be started: ") {
		t.Errorf("nothing is said of the pager:\n%s", s.all.String())
	}
	if _, err := os.Stat(filepath.Join(root, "a.txt")); !os.IsNotExist(err) {
		t.Errorf("a rejected file: %v", err)
	}
}

// TestNoAnswer ends without a decision: nothing is written, and it is no person's no.
func TestNoAnswer(t *testing.T) {
	for name, end := range map[string]func(*person){
		"interrupted": func(s *person) { s.cancel() },
		"end of input": func(s *person) {
			_, err := s.master.WriteString("\x04")
			must(s.t, err)
		},
		"end after the first file": func(s *person) {
			_, err := s.master.WriteString("y\n")
			must(s.t, err)
			s.until("2/2 b.txt").until(ofFileQuestion)
			_, err = s.master.WriteString("y\x04\x04")
			must(s.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "a.txt", "a\n")
			p := propose(root, "a.txt", "b\n")
			p.Files = append(p.Files, want(root, "b.txt", "new\n"))
			s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
			s.until(ofFileQuestion)
			end(s)
			r := s.end()
			known, ok := errors.AsType[*review.Error](r.err)
			if !ok || known.Code != review.Cancelled || !strings.HasSuffix(known.Text, "Nothing was changed.") {
				t.Errorf("%v, %v", r.out, r.err)
			}
			if read(t, root, "a.txt") != "a\n" {
				t.Error("the file was changed")
			}
		})
	}
}

// TestTypedBefore drops what was typed before there was a question.
func TestTypedBefore(t *testing.T) {
	root := t.TempDir()
	p := propose(root, "a.txt", "new\n")
	typed, draft := make(chan struct{}), p.Files[0].Draft
	p.Files[0].Draft = func(current hunks.Text) (*hunks.Patch, error) {
		<-typed
		return draft(current)
	}
	s := sit(t, 80, map[string]string{"NO_COLOR": "1"}, p)
	_, err := s.master.WriteString("y\ny\n")
	must(t, err)
	s.until("y\r\ny\r\n") // the terminal's echo
	close(typed)
	s.says(ofFileQuestion, "n")
	if r := s.end(); r.err != nil || r.out.Decision() != review.Rejected {
		t.Errorf("%v, %v", r.out, r.err)
	}
}
