package hunks

import (
	"fmt"
	"strings"
)

// Place turns a proposal into hunks against what the file holds now. original is what the agent believes is there: the
// whole file or a snippet of it, or "" for a new file; modified is what it wants instead. Both are bytes as an agent
// gives them: a byte order mark and CRs that belong to the file are taken off.
//
// A new file that is to be empty has no hunks, only a Whole.
//
// The error is ErrNothing (errors.Is) when nothing would change, or a *StaleError when no hunk has a place. When some
// have one, the others are in the Patch in state Conflict. Patch.Base is always current.
func Place(current Text, original, modified string) (*Patch, error) {
	pr := proposal{current: current, original: original, modified: modified}
	pr.stripEndings()
	if current.Missing && pr.original == "" && pr.modified == "" {
		p := Diff(current, "")
		p.Whole = FilePatch{Kind: Create}.wholes()
		return p, nil
	}
	if pr.original == pr.modified || pr.current.Body == pr.modified && !current.Missing {
		return nil, ErrNothing
	}
	p, err := pr.place()
	if err != nil {
		return nil, err
	}
	if len(p.Hunks) == 0 {
		return nil, ErrNothing
	}
	p.Notes = append(pr.notes, p.Notes...)
	return p, nil
}

// proposal is a proposal on the way to its place.
type proposal struct {
	current            Text
	original, modified string
	notes              []string
}

func (pr *proposal) note(format string, args ...any) {
	pr.notes = append(pr.notes, fmt.Sprintf(format, args...))
}

// stripEndings takes off what belongs to the file: its byte order mark, and the CR of its line ends. A file that has no
// CRLF at all cannot hold an original that has, so there CRLF is taken for the agent's way to write a line end.
func (pr *proposal) stripEndings() {
	if pr.current.BOM {
		pr.original = strings.TrimPrefix(pr.original, byteOrderMark)
		pr.modified = strings.TrimPrefix(pr.modified, byteOrderMark)
	}
	switch {
	case pr.current.CRLF:
		if strings.Count(pr.modified, "\n") > strings.Count(pr.modified, "\r\n") {
			pr.note("The file's lines end in CRLF: new lines got CRLF too.")
		}
	case strings.Contains(pr.original, "\r\n") && !strings.Contains(pr.current.Body, "\r\n"):
		pr.note("The file's lines end in LF, not CRLF as in original: new lines got LF too.")
	default:
		return
	}
	pr.original = strings.ReplaceAll(pr.original, "\r\n", "\n")
	pr.modified = strings.ReplaceAll(pr.modified, "\r\n", "\n")
}

// place goes through the ways in which original can be what the file holds, from the plainest to the least.
func (pr *proposal) place() (*Patch, error) {
	body := pr.current.Body
	switch {
	case pr.original == "" && body != "":
		return nil, &StaleError{Reason: fmt.Sprintf("original is empty, but the file is not: it has %s.", counted(CountLines(body), "line"))}
	case pr.original == body:
		return Diff(pr.current, pr.modified), nil
	case pr.current.Missing:
		return nil, &StaleError{Reason: "original is not empty, but the file does not exist."}
	case body == "":
		return nil, &StaleError{Reason: "original is not empty, but the file is."}
	case pr.original == body+"\n":
		pr.note("The file has no final newline, and that was kept.")
		return Diff(pr.current, dropNewline(pr.modified)), nil
	case pr.original+"\n" == body:
		if pr.modified != "" && !strings.HasSuffix(pr.modified, "\n") {
			pr.note("The file's final newline was kept.")
			pr.modified += "\n"
		}
		return Diff(pr.current, pr.modified), nil
	}
	if p, err := pr.placeSnippet(); p != nil || err != nil {
		return p, err
	}
	return pr.placeDrifted()
}

// placeSnippet takes original for a part of the file; both results are nil when it is none.
func (pr *proposal) placeSnippet() (*Patch, error) {
	body := pr.current.Body
	at, n := occurrences(body, pr.original)
	switch {
	case n > 1:
		return nil, severalError(body, pr.original, n)
	case n == 0 && !strings.HasSuffix(body, "\n") && strings.HasSuffix(body+"\n", "\n"+pr.original):
		// The last lines of a file that has no final newline.
		pr.note("The file has no final newline, and that was kept.")
		at = len(body) + 1 - len(pr.original)
		return Diff(pr.current, body[:at]+dropNewline(pr.modified)), nil
	case n == 0:
		return nil, nil
	}
	rest := body[at+len(pr.original):]
	if strings.HasSuffix(pr.original, "\n") && pr.modified != "" && !strings.HasSuffix(pr.modified, "\n") && rest != "" {
		// Whole lines are replaced: the line below is not meant to be joined to the last of them.
		pr.note("modified lacked the newline at its end that original has, and got one.")
		pr.modified += "\n"
	}
	return Diff(pr.current, body[:at]+pr.modified+rest), nil
}

// occurrences counts where s is in body, overlapping places too, up to maxHits, and gives the first.
func occurrences(body, s string) (first, count int) {
	first = -1
	for at := 0; count < maxHits; at++ {
		i := strings.Index(body[at:], s)
		if i < 0 {
			break
		}
		at += i
		if count == 0 {
			first = at
		}
		count++
	}
	return first, count
}

// dropNewline is body without its final newline, unless nothing would be left of it.
func dropNewline(body string) string {
	if short := strings.TrimSuffix(body, "\n"); short != "" {
		return short
	}
	return body
}

// counted is "1 line" or "2 lines".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
