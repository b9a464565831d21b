package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"znkr.io/diff/textdiff"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// largeFile is a text of n lines, 44 bytes each, and the same with one line in every hundred changed.
func largeFile(n int) (original, modified string) {
	var a, b strings.Builder
	for i := range n {
		line := fmt.Sprintf("line %07d of a file, with \"quotes\" and\ttab\n", i)
		a.WriteString(line)
		if i%100 == 50 {
			line = "changed " + line
		}
		b.WriteString(line)
	}
	return a.String(), b.String()
}

// BenchmarkCall is a tools/call from the line in the pipe to the reviewer, and its answer back.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("lines=%d", n), func(b *testing.B) {
			original, modified := largeFile(n)
			dir := project(b, map[string]string{"f": original})
			line := callLine(1, editArgs("f", original, modified), nil)
			arrived := make(chan struct{})
			c := serve(b, b.Context(), &fakeReviewer{func(context.Context, review.Proposal, func(string)) (*review.Outcome, error) {
				arrived <- struct{}{}
				return nil, review.Errorf(review.Cancelled, "x")
			}}, dir)
			c.hello()
			b.SetBytes(int64(len(line)))
			b.ResetTimer()
			for range b.N {
				go c.send(line)
				<-arrived
				b.StopTimer()
				c.receive()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkFrame is the decoding of a large call alone, and BenchmarkFloor the reading of its bytes.
func BenchmarkFrame(b *testing.B) {
	original, modified := largeFile(100_000)
	line := []byte(callLine(1, editArgs("f", original, modified), nil) + "\n")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		p := parser{lines: newLineReader(bytes.NewReader(line))}
		if f, err := p.frame(); err != nil || f.err != nil || f.args.values["modified"].text != modified {
			b.Fatal("wrong")
		}
	}
}

func BenchmarkFloor(b *testing.B) {
	original, modified := largeFile(100_000)
	line := callLine(1, editArgs("f", original, modified), nil) + "\n"
	r, w, err := os.Pipe()
	must(b, err)
	buf := make([]byte, lineBuffer)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		go func() { _, _ = io.WriteString(w, line) }()
		for n := 0; n < len(line); {
			k, err := r.Read(buf)
			must(b, err)
			n += k
		}
	}
}

// BenchmarkReport is the answer to a review of a thousand hunks.
func BenchmarkReport(b *testing.B) {
	f := review.FileOutcome{Path: "f"}
	for i := range 1000 {
		f.Hunks = append(f.Hunks, review.HunkOutcome{Index: i + 1, Header: "@@ -1,7 +1,7 @@", State: hunks.Rejected})
	}
	for b.Loop() {
		if _, err := answer(&review.Outcome{Files: []review.FileOutcome{f}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFind is the way of a path.
func BenchmarkFind(b *testing.B) {
	dir := project(b, map[string]string{"a/b/c/f": "text\n"})
	roots := []root{root(dir)}
	for b.Loop() {
		t, _, err := findTarget(roots, dirs(roots, ""), filepath.Join("a", "b", "c", "f"))
		must(b, err)
		must(b, t.checkText())
	}
	runtime.KeepAlive(dir)
}

// BenchmarkEditFile is the work of edit_file on a large file: from the call's line to the hunks. BenchmarkEditFileFloor reads
// the file and compares it, and nothing else.
func BenchmarkEditFile(b *testing.B) {
	original, _ := largeFile(100_000)
	dir := project(b, map[string]string{"f": original})
	line := callTool(1, "edit_file", map[string]any{"path": "f", "old_string": "line 0050000 of", "new_string": "changed of"}, nil)
	drafted := make(chan int)
	c := serve(b, b.Context(), &fakeReviewer{func(_ context.Context, p review.Proposal, _ func(string)) (*review.Outcome, error) {
		raw, err := os.ReadFile(p.Files[0].Abs)
		if err != nil {
			return nil, err
		}
		patch, err := p.Files[0].Draft(hunks.NewText(string(raw)))
		if err != nil {
			return nil, err
		}
		drafted <- len(patch.Hunks)
		return nil, review.Errorf(review.Cancelled, "x")
	}}, dir)
	c.hello()
	b.SetBytes(int64(len(original)))
	b.ReportAllocs()
	for b.Loop() {
		go c.send(line)
		if n := <-drafted; n != 1 {
			b.Fatalf("%d hunks", n)
		}
		c.receive()
	}
}

func BenchmarkEditFileFloor(b *testing.B) {
	original, _ := largeFile(100_000)
	modified := strings.Replace(original, "line 0050000 of", "changed of", 1)
	dir := project(b, map[string]string{"f": original})
	b.SetBytes(int64(len(original)))
	b.ReportAllocs()
	for b.Loop() {
		textdiff.Unified(read(b, dir, "f"), modified, textdiff.IndentHeuristic())
	}
}

// BenchmarkDiffFiles is diff of two files of 4 MB, from the call's line to the answer's. BenchmarkDiffFilesFloor reads and
// compares them, and nothing else.
func BenchmarkDiffFiles(b *testing.B) {
	original, modified := largeFile(80_000)
	dir := project(b, map[string]string{"a": original, "b": modified})
	line := callTool(1, "diff", map[string]any{"path_a": "a", "path_b": "b"}, nil)
	c := serve(b, b.Context(), &fakeReviewer{}, dir)
	c.hello()
	b.SetBytes(int64(len(original) + len(modified)))
	b.ReportAllocs()
	for b.Loop() {
		go c.send(line)
		c.receive()
	}
}

func BenchmarkDiffFilesFloor(b *testing.B) {
	original, modified := largeFile(80_000)
	dir := project(b, map[string]string{"a": original, "b": modified})
	b.SetBytes(int64(len(original) + len(modified)))
	b.ReportAllocs()
	for b.Loop() {
		textdiff.Unified(read(b, dir, "a"), read(b, dir, "b"), textdiff.IndentHeuristic())
	}
}

func read(b *testing.B, dir, name string) string {
	b.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(raw)
}
