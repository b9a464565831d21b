package prompt

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// pagers are those to take where $PAGER names none.
var pagers = []string{"less", "more"}

// inPager is the look of a text in the pager: a person's own $LESS may show colours as the characters that they are.
func (t *Terminal) inPager(l look) look {
	if less := t.env("LESS"); less != "" && !strings.ContainsAny(less, "rR") {
		l.color = false
	}
	return l
}

// page gives a text to the pager, and waits for it to end. It is run without a shell: $PAGER is words. false: there is
// none, or it could not show anything.
func (t *Terminal) page(l look, text string) bool {
	words := strings.Fields(t.env("PAGER"))
	for i := 0; len(words) == 0; i++ {
		if i == len(pagers) {
			return false
		}
		if _, err := exec.LookPath(pagers[i]); err == nil {
			words = []string{pagers[i]}
		}
	}
	pager := exec.Command(words[0], words[1:]...) //nolint:noctx // the person ends it; without it the terminal would be left raw
	pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), t.tty, t.tty
	pager.Env = os.Environ()
	if t.env("LESS") == "" {
		pager.Env = append(pager.Env, "LESS=FRX") // colours as they are; and no more than a screen needs no key
	}
	if err := pager.Start(); err != nil {
		fmt.Fprintf(t.tty, "The pager cannot be started: %s\n", l.safe(err.Error()))
		return false
	}
	_ = pager.Wait() // how it was left says nothing
	return true
}
