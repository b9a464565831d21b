package screen

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// wellFormed fails on what is no XML, and counts the elements by name.
func wellFormed(t *testing.T, picture string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		if start, ok := token.(xml.StartElement); ok {
			counts[start.Name.Local]++
		}
	}
}

// A picture is XML whatever the text is, and each run of cells of the same looks is one text in its colours.
func TestSVG(t *testing.T) {
	s := draw(t,
		[]any{"default_colors_set", []any{int64(0xeeeeee), int64(0x111111), int64(0)}},
		[]any{"hl_attr_define", []any{int64(1), map[string]any{"foreground": int64(0xff0000), "bold": true}}},
		[]any{"hl_attr_define", []any{int64(2), map[string]any{"reverse": true}}},
		[]any{"grid_line", []any{int64(1), int64(1), int64(0), []any{
			[]any{"<", int64(1)}, []any{"&"}, []any{"x", int64(0)}, []any{"r", int64(2)},
		}}},
		[]any{"flush", []any{}},
	)
	picture := s.SVG()
	if n := wellFormed(t, picture)["text"]; n != 3 {
		t.Errorf("%d texts, should be 3:\n%s", n, picture)
	}
	for _, want := range []string{
		`fill="#111111"/>`, `fill="#ff0000" font-weight="bold">&lt;&amp;</text>`, `fill="#eeeeee">x</text>`, `fill="#111111">r</text>`,
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %s in\n%s", want, picture)
		}
	}
}

// A film has every frame, each shown in its time.
func TestFilm(t *testing.T) {
	s := draw(t, []any{"flush", []any{}})
	film := Film([]*Snapshot{s, s}, []time.Duration{time.Second, 3 * time.Second})
	if counts := wellFormed(t, film); counts["g"] != 2 {
		t.Errorf("%v", counts)
	}
	if !strings.Contains(film, "animation:f1 4.00s") || !strings.Contains(film, "25.000%,99.999%{visibility:visible}") {
		t.Error(film)
	}
}
