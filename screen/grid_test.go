package screen

import (
	"strings"
	"testing"
)

// draw plays events on an empty screen of 8 x 4 cells and returns the frame.
func draw(t *testing.T, events ...[]any) *Snapshot {
	t.Helper()
	s := newScreen("")
	s.redraw([]any{"grid_resize", []any{int64(1), int64(8), int64(4)}})
	for _, e := range events {
		s.redraw(e)
	}
	s.redraw([]any{"flush", []any{}})
	return s.Snapshot()
}

func lineEvent(row, col int, cells ...any) []any {
	return []any{"grid_line", []any{int64(1), int64(row), int64(col), cells, false}}
}

func word(text string) []any {
	var cells []any
	for _, r := range text {
		cells = append(cells, []any{string(r)})
	}
	return cells
}

func four() [][]any {
	var events [][]any
	for i, text := range []string{"one", "two", "three", "four"} {
		events = append(events, lineEvent(i, 0, word(text)...))
	}
	return events
}

func TestGrid(t *testing.T) {
	scroll := func(top, bottom, left, right, rows int) [][]any {
		return append(four(), []any{
			"grid_scroll",
			[]any{int64(1), int64(top), int64(bottom), int64(left), int64(right), int64(rows), int64(0)},
		})
	}
	cases := []struct {
		name   string
		events [][]any
		want   string
	}{
		{"a line", [][]any{lineEvent(1, 2, word("ab")...)}, "\n  ab\n\n\n"},
		{"repeated", [][]any{lineEvent(0, 0, []any{"x", int64(0), int64(3)}, []any{"y"})}, "xxxy\n\n\n\n"},
		{"wide", [][]any{lineEvent(0, 0, []any{"日"}, []any{""}, []any{"|"})}, "日|\n\n\n\n"},
		{"combining", [][]any{lineEvent(0, 0, []any{"é"}, []any{"|"})}, "é|\n\n\n\n"},
		{"cut at the edges", [][]any{lineEvent(0, 6, word("abcdef")...), lineEvent(9, 0, word("no")...)}, "      ab\n\n\n\n"},
		{"clear", append(four(), []any{"grid_clear", []any{int64(1)}}), "\n\n\n\n"},
		{"scroll up", scroll(0, 4, 0, 8, 1), "two\nthree\nfour\nfour\n"},
		{"scroll down", scroll(0, 4, 0, 8, -2), "one\ntwo\none\ntwo\n"},
		{"scroll a region", scroll(1, 3, 0, 2, 1), "one\ntho\nthree\nfour\n"},
		{"scroll outside", scroll(-3, 99, -1, 99, 2), "three\nfour\nthree\nfour\n"},
		{"larger", append(four(), []any{"grid_resize", []any{int64(1), int64(9), int64(5)}}), "one\ntwo\nthree\nfour\n\n"},
		{"smaller", append(four(), []any{"grid_resize", []any{int64(1), int64(3), int64(2)}}), "one\ntwo\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := draw(t, c.events...).Text(); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestLooks(t *testing.T) {
	define := []any{"hl_attr_define", []any{
		int64(7),
		map[string]any{"foreground": int64(0xff0000), "bold": true},
		map[string]any{},
		[]any{},
	}}
	colors := []any{"default_colors_set", []any{int64(0xffffff), int64(0), int64(0), int64(0), int64(0)}}
	shot := draw(t, colors, define, lineEvent(0, 1, []any{"a", int64(7)}, []any{"b"}, []any{"c", int64(0)}))

	if got := shot.Attrs(0, 2); !got.Bold || got.Foreground != 0xff0000 || got.Background != 0 {
		t.Errorf("the highlight of the cell before goes on: got %+v", got)
	}
	if got, want := strings.SplitN(shot.ANSI(), "\n", 2)[0],
		"\x1b[0;38;2;255;255;255;48;2;0;0;0m \x1b[0;1;38;2;255;0;0;48;2;0;0;0mab"+
			"\x1b[0;38;2;255;255;255;48;2;0;0;0mc    \x1b[0m"; got != want {
		t.Errorf("ANSI: got  %q\nwant %q", got, want)
	}
	want := " abc\n\n\n\n--\n.aa\n\n\n\n--\na: fg=#ff0000 bg=#000000 bold\n"
	if got := shot.Looks(); got != want {
		t.Errorf("Looks: got\n%s\nwant\n%s", got, want)
	}
}

func TestFind(t *testing.T) {
	shot := draw(t, lineEvent(2, 0, []any{"日"}, []any{""}, []any{"x"}, []any{"y"}))
	if row, col, ok := shot.Find("xy"); row != 2 || col != 2 || !ok {
		t.Errorf("columns are cells: got %d,%d,%v", row, col, ok)
	}
	if shot.Contains("yx") || !shot.Contains("\n日xy\n") {
		t.Error("Contains")
	}
}

// A finished frame stays as it was while the next one is drawn, and nothing is shown before its flush.
func TestFrames(t *testing.T) {
	s := newScreen("")
	frame := func(events ...any) *Snapshot {
		s.redraw(events...)
		return s.Snapshot()
	}
	first := frame([]any{"grid_resize", []any{int64(1), int64(3), int64(1)}}, lineEvent(0, 0, word("old")...), []any{"flush", []any{}})
	if half := frame(lineEvent(0, 0, word("new")...)); half != first {
		t.Error("an unfinished frame was shown")
	}
	second := frame([]any{"flush", []any{}})
	if first.Text() != "old\n" || second.Text() != "new\n" || second.Frame != 2 {
		t.Errorf("got %q, then %q in frame %d", first.Text(), second.Text(), second.Frame)
	}
}

// Whatever a message holds, the screen lives on.
func FuzzRedraw(f *testing.F) {
	f.Add("grid_line", int64(1), int64(2), "x", uint64(1<<63))
	f.Add("grid_resize", int64(1), int64(-2), "x", uint64(3))
	f.Fuzz(func(t *testing.T, name string, a, b int64, s string, u uint64) {
		if a > 1000 || b > 1000 || u > 1000 {
			t.Skip() // a large grid is no error
		}
		sc := newScreen("")
		sc.redraw([]any{"grid_resize", []any{int64(1), int64(8), int64(4)}})
		values := []any{a, b, u, s, nil, true, []byte(s), []any{[]any{s, a, b}}, map[any]any{s: a}}
		for i := range values {
			rotated := append(append([]any{}, values[i:]...), values[:i]...)
			sc.redraw(rotated...)
			sc.redraw([]any{name, rotated, s, nil})
		}
		sc.redraw([]any{"flush"})
		_ = sc.Snapshot().ANSI()
	})
}
