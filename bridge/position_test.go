package bridge

import "testing"

func TestTry(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		d := newDesk(t, bin)
		r := d.open("a.txt", text("a", "b", "c"), text("a", "B", "c"))
		t.Logf("%+v", r.look())
		r.do("press", "a")
		t.Logf("%+v", r.look())
		r.do("type", 1, "u")
		t.Logf("%+v", r.look())
		r.do("press", "A")
		out, err := r.outcome()
		t.Logf("%+v %v", out, err)
		r = d.open("a.txt", text("a", "b", "c"), text("a", "b", "c", "d"))
		t.Logf("%+v", r.look())
	})
}
