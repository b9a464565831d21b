package hunks

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestFrameIsTheDiffs: where hunks are as far apart as the diff leaves them, their frames are the diff's own.
func TestFrameIsTheDiffs(t *testing.T) {
	for seed := range 500 {
		r := rand.New(rand.NewPCG(6, uint64(seed)))
		p := randomPatch(r, 80)
		lines := splitLines(p.Base.Body)
		var groups [][]Block
		for _, h := range p.Hunks {
			groups = append(groups, h.Blocks)
		}
		for i, f := range frame(groups, func(i int) string { return lines[i] }, 0, len(lines), true) {
			if want := p.Hunks[i].Fragment; !reflect.DeepEqual(f, want) {
				t.Fatalf("seed %d, hunk %d:\n%+v\nwant\n%+v", seed, i+1, f, want)
			}
		}
	}
}
