package bridge

import (
	"errors"
	"testing"
	"time"

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
