package hunks

import (
	"slices"
	"strings"
)

// NewLines is the new text of a hunk: the lines between its first and its last change, unchanged ones included, without
// their line ends. It is nil when the hunk has no place.
func (p *Patch) NewLines(hunkID int) []string {
	h := p.Hunk(hunkID)
	if h == nil || !h.Placed() {
		return nil
	}
	lines := []string{}
	for _, line := range splitLines(p.newText(h)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// Rewrite replaces a hunk by one of which NewLines are these lines, and returns it; its id is new, and so are those of its
// blocks. It returns nil, and changes nothing, when the hunk has no place or would change nothing. The last line of a file
// ends in a newline as before.
func (p *Patch) Rewrite(hunkID int, lines []string) *Hunk {
	h := p.Hunk(hunkID)
	if h == nil || !h.Placed() {
		return nil
	}
	text := ""
	if len(lines) > 0 {
		text = strings.Join(lines, "\n") + "\n"
	}
	start, end := spanOf(h.Blocks)
	old := p.oldText(start, end)
	if end == CountLines(p.Base.Body) && lacksFinal(p.newText(h), old) {
		text = strings.TrimSuffix(text, "\n")
	}
	if text == old {
		return nil
	}
	var pieces []piece
	for _, found := range Diff(Text{Body: old}, text).Hunks {
		for _, b := range found.Blocks {
			b.Line += start
			pieces = append(pieces, piece{Block: b})
		}
	}
	p.number(pieces)
	blocks := make([]Block, len(pieces))
	for i := range pieces {
		blocks[i] = pieces[i].Block
	}
	part := p.part(h, blocks, p.frameIn(windowOf(h.Fragment), [][]Block{blocks})[0])
	p.replace(h, []*Hunk{part})
	p.Modified = p.Compose(func(int) bool { return true })
	return part
}

// lacksFinal says whether the last line of a file has no newline: of the new text, or where there is none, of the old.
func lacksFinal(text, old string) bool {
	if text == "" {
		text = old
	}
	return text != "" && !strings.HasSuffix(text, "\n")
}

// oldText are the base's lines from start to before end.
func (p *Patch) oldText(start, end int) string {
	from := offset(p.Base.Body, start)
	return p.Base.Body[from : from+offset(p.Base.Body[from:], end-start)]
}

// newText is what the hunk makes of the lines between its first and its last change.
func (p *Patch) newText(h *Hunk) string {
	var out []string
	at := h.Blocks[0].Line
	for i := range h.Blocks {
		b := &h.Blocks[i]
		out = append(out, p.oldText(at, b.Line))
		out = slices.Concat(out, b.New)
		at = b.Line + len(b.Old)
	}
	return strings.Join(out, "")
}
