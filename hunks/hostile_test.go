package hunks

import (
	"strings"
	"testing"
	"time"
)

// TestHostileIsQuick has inputs made to be slow. Each took minutes, or as many hours as its size allows, where work for a
// line was as much as there are lines; now it takes well under a second.
func TestHostileIsQuick(t *testing.T) {
	const n = 50_000
	for name, run := range map[string]func() error{
		"a signature behind each signature": func() error {
			_, err := ParsePatch("--- a/f\n+++ b/f\n@@ -1 +1 @@\n" + strings.Repeat("-- \n1\n\n", n) + "x\n+a\n")
			return err
		},
		"a long pattern that nearly fits everywhere": func() error {
			current := Text{Body: poem(20) + strings.Repeat("a\n", 4*n) + strings.Repeat("b\n", 4*n)}
			p, err := Place(current, poem(20)+strings.Repeat("a\n", 2*n)+"b\na\n", poemWith(20, 10, "ten\n")+"c\n")
			if err == nil && (len(p.Hunks) != 2 || p.Hunks[1].Reason != tooSlow) {
				t.Errorf("%s", short(p))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if err := run(); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
