package bridge

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// TestGoroutines: reviews that are over leave no goroutine, no connection and no open file behind.
func TestGoroutines(t *testing.T) {
	d := newDesk(t, anyNvim(t))
	round := func(i int) {
		r := d.open(fmt.Sprintf("%d.txt", i%3), text("a", "b", fmt.Sprint(i)), text("A", "b", fmt.Sprint(i)))
		r.do("press", []string{"A", "R", "qy"}[i%3])
		if _, err := r.outcome(); err != nil {
			t.Fatal(err)
		}
	}
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for i := range 10 {
		round(i)
	}
	goroutines, open := runtime.NumGoroutine(), files()
	for i := range 60 {
		round(i)
	}
	if now := runtime.NumGoroutine(); now > goroutines+3 {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines after 10 reviews, %d after 70:\n%s", goroutines, now, stacks[:runtime.Stack(stacks, true)])
	}
	if now := files(); now > open {
		t.Errorf("%d open files after 10 reviews, %d after 70", open, now)
	}
}
