package bridge

import (
	"context"
	"strings"
	"time"

	"nvim-agent-diff/review"
)

// lateness is how much longer than Neovim waits for diagnostics we wait for Neovim.
const lateness = 500 * time.Millisecond

// diagnose adds what the editor reports since hunks were applied, when Neovim is waiting for that; for so many milliseconds.
// Whatever happens meanwhile, the outcome is what it is. come are events that have come already.
func (s *session) diagnose(ctx context.Context, out *review.Outcome, milliseconds int, come []event) {
	if milliseconds <= 0 {
		return
	}
	s.progress("waiting for what the language server reports")
	ctx, cancel := context.WithTimeout(ctx, time.Duration(milliseconds)*time.Millisecond+lateness)
	defer cancel()
	for err := error(nil); err == nil; come, err = s.next(ctx) {
		for _, e := range come {
			if e.name == "diagnostics" {
				addDiagnostics(out, e.args.At(0).List())
				return
			}
		}
	}
}

func addDiagnostics(out *review.Outcome, files []Value) {
	for i := range min(len(files), len(out.Files)) {
		for _, d := range files[i].List() {
			out.Files[i].Diagnostics = append(out.Files[i].Diagnostics, review.Diagnostic{
				Line: d.Key("line").Int(), Severity: d.Key("severity").Text(),
				Source: validText(d.Key("source")), Message: validText(d.Key("message")),
			})
		}
	}
}

// validText is a text from Neovim that may have been cut within a character.
func validText(v Value) string { return strings.ToValidUTF8(v.Text(), "\uFFFD") }
