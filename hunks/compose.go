package hunks

import "strings"

// Hunk finds a hunk by its id; nil when the patch has none of that id.
func (p *Patch) Hunk(id int) *Hunk {
	if id >= 1 && id <= len(p.Hunks) && p.Hunks[id-1].ID == id {
		return p.Hunks[id-1] // as long as nothing was split
	}
	for _, h := range p.Hunks {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// Placed says whether every block of the hunk has a place in the base.
func (h *Hunk) Placed() bool {
	for i := range h.Blocks {
		if h.Blocks[i].Line < 0 {
			return false
		}
	}
	return true
}

// Compose is the Body of the file with exactly the hunks applied for which applied says so. A hunk without a place is
// never applied.
func (p *Patch) Compose(applied func(hunkID int) bool) string {
	var out strings.Builder
	out.Grow(max(len(p.Base.Body), len(p.Modified)))
	rest, line := p.Base.Body, 0
	for _, h := range p.Hunks {
		if !h.Placed() || !applied(h.ID) {
			continue
		}
		for i := range h.Blocks {
			b := &h.Blocks[i]
			n := offset(rest, b.Line-line)
			out.WriteString(rest[:n])
			for _, s := range b.New {
				out.WriteString(s)
			}
			rest = rest[n:]
			for _, s := range b.Old {
				rest = rest[len(s):]
			}
			line = b.Line + len(b.Old)
		}
	}
	out.WriteString(rest)
	return out.String()
}

// offset is the length of the first n lines of s.
func offset(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		at += lineEnd(s[at:])
	}
	return at
}
