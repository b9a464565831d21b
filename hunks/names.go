package hunks

import (
	"fmt"
	"strconv"
	"strings"
)

// nameLine is what a line "---" or "+++" says.
type nameLine struct {
	line int // of the patch, from 0
	name string
	none bool // /dev/null: there is no file on this side
}

const devNull = "/dev/null"

// readName reads what follows "--- " or "+++ ": a name, perhaps quoted, perhaps with a time behind a TAB.
func (r *patchReader) readName(i int, s string, isGit bool) (*nameLine, error) {
	if len(s) > maxHeaderLine {
		return nil, r.fail(PatchSyntax, i, "the name is too long.", adviceHeader)
	}
	n := &nameLine{line: i}
	var rest string
	if quoted, after, ok := cutQuoted(s); ok {
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, r.fail(PatchSyntax, i, fmt.Sprintf("the quoted name %s cannot be read.", quoteCut(quoted, "")),
				"Write it without quotes, or with C escapes as Git does.")
		}
		n.name, rest = name, after
	} else if name, time, ok := strings.Cut(s, "\t"); ok {
		n.name, rest = name, time
	} else {
		n.name = strings.TrimRight(cutTime(s), " ")
	}
	switch name := strings.TrimSpace(n.name); {
	case name == devNull:
		n.none = true
	case isGit:
	case name == "a"+devNull, name == "b"+devNull, isEpoch(strings.TrimSpace(rest)):
		n.none = true
	}
	return n, r.checkName(i, n.name)
}

// readLiteral reads a name of Git's that has no prefix and no time.
func (r *patchReader) readLiteral(s string, to *string) error {
	if quoted, _, ok := cutQuoted(s); ok {
		if name, err := strconv.Unquote(quoted); err == nil {
			s = name
		}
	}
	*to = s
	return r.checkName(r.at, s)
}

func (r *patchReader) checkName(i int, name string) error {
	if strings.TrimSpace(name) == "" || strings.IndexByte(name, 0) >= 0 || len(name) > maxHeaderLine {
		return r.fail(PatchSyntax, i, fmt.Sprintf("%s is no file name.", quoteCut(name, name)), adviceHeader)
	}
	return nil
}

// cutQuoted takes a name between double quotes from the front.
func cutQuoted(s string) (quoted, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1], s[i+1:], true
		}
	}
	return "", "", false
}

// cutTime takes a time off the end of a name, where the TAB before it has become a space.
func cutTime(s string) string {
	const shape = " 0000-00-00 00:00"
	for i := 1; i+len(shape) <= len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		same := true
		for j := range len(shape) {
			c := s[i+j]
			if '0' <= c && c <= '9' {
				c = '0'
			}
			same = same && c == shape[j]
		}
		if same {
			return s[:i]
		}
	}
	return s
}

// isEpoch says whether a time is the one that diff -N gives to a file that is missing: the beginning of 1970.
func isEpoch(s string) bool {
	fields := strings.Fields(s)
	if len(fields) != 3 || len(fields[2]) != 5 {
		return false
	}
	clock, fraction, _ := strings.Cut(fields[1], ".")
	hour, minute, ok := strings.Cut(strings.TrimSuffix(clock, ":00"), ":")
	zone, ok2 := readNumber(fields[2][1:])
	h, ok3 := readNumber(hour)
	m, ok4 := readNumber(minute)
	if !ok || !ok2 || !ok3 || !ok4 || !strings.HasSuffix(clock, ":00") || strings.Trim(fraction, "0") != "" {
		return false
	}
	at, offset := 60*h+m, zone/100*60+zone%100
	switch {
	case fields[2][0] == '-':
		offset = -offset
	case fields[2][0] != '+':
		return false
	}
	switch fields[0] {
	case "1970-01-01":
		return at == offset
	case "1969-12-31":
		return at-24*60 == offset
	}
	return false
}

// cleanName takes "./" and doubled slashes out of a name.
func cleanName(s string) string {
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	for strings.HasPrefix(s, "./") && len(s) > 2 {
		s = s[2:]
	}
	return s
}

// cutPrefix takes Git's prefix off a name: a/ and b/, or, for diff.mnemonicPrefix, c/, i/, o/, w/, 1/ and 2/.
func cutPrefix(name string) (prefix byte, rest string) {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciow12", name[0]) >= 0 {
		return name[0], name[2:]
	}
	return 0, name
}

// cutPrefixes takes the prefixes off the two names of a file. There is none where a name is "".
func cutPrefixes(before, after string) (string, string) {
	p, b := cutPrefix(before)
	q, a := cutPrefix(after)
	ours := func(c byte) bool { return c == 'a' || c == 'b' }
	switch {
	case before == "" && ours(q):
		return "", a
	case after == "" && ours(p):
		return b, ""
	case before == "" || after == "":
		return before, after
	case p != 0 && q != 0 && b == a && (p != q || ours(p)), ours(p) && ours(q) && p != q:
		return b, a
	case ours(p) && b == after: // a prefix on one side only
		return b, after
	case ours(q) && a == before:
		return before, a
	}
	return before, after
}

// gitNames finds the two names after "diff --git", which only quotes and prefixes tell apart; ok is false if it cannot.
func gitNames(s string) (before, after string, ok bool) {
	if len(s) > 2*maxHeaderLine {
		return "", "", false
	}
	if quoted, rest, ok := cutQuoted(s); ok {
		before, err := strconv.Unquote(quoted)
		after := unquoted(strings.TrimLeft(rest, " "))
		return before, after, err == nil && after != ""
	}
	if i := strings.Index(s, ` "`); i > 0 && strings.HasSuffix(s, `"`) {
		return s[:i], unquoted(s[i+1:]), true
	}
	trimmed := strings.TrimRight(s, " ")
	for _, s := range []string{s, trimmed} {
		if before, after, ok := sameNames(s); ok {
			return before, after, true
		}
	}
	s = trimmed
	if i := strings.Index(s, " b/"); strings.HasPrefix(s, "a/") && i > 0 && i == strings.LastIndex(s, " b/") {
		return s[:i], s[i+1:], true
	}
	before, after, ok = strings.Cut(s, " ")
	return before, after, ok && !strings.Contains(after, " ")
}

// sameNames cuts s into the same name twice, each behind its prefix.
func sameNames(s string) (before, after string, ok bool) {
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' { // prefixes of the same length, or none
		before, after = s[:half], s[half+1:]
		_, b := cutPrefix(before)
		_, a := cutPrefix(after)
		if before == after || b == a {
			return before, after, true
		}
	}
	slash := strings.IndexByte(s, '/')
	for i := max(slash, 0); i < len(s) && slash > 0; i++ { // any first folder: --src-prefix
		if s[i] != ' ' {
			continue
		}
		_, tail, ok := strings.Cut(s[i+1:], "/")
		if ok && len(tail) == i-slash-1 && tail == s[slash+1:i] {
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

func unquoted(s string) string {
	if quoted, _, ok := cutQuoted(s); ok {
		if name, err := strconv.Unquote(quoted); err == nil {
			return name
		}
	}
	return s
}
