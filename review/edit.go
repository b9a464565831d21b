package review

import (
	"cmp"
	"strconv"
	"strings"

	"nvim-agent-diff/hunks"
)

// listedLines is how many line numbers an error lists.
const listedLines = 20

// Replace puts an edit's new_string in the place of its old_string, both as the file's body has its line ends. lines are those
// that it began on, counted from 0. The error is an *Error; path is the file's, as it can be put into a sentence.
func Replace(path, body, old, added string, all bool) (replaced string, lines []int, err error) {
	replaced, lines = hunks.ReplaceAll(body, old, added, MaxFile)
	switch {
	case len(lines) == 0:
		return "", nil, notFound(path, body, old)
	case len(lines) > 1 && !all:
		return "", nil, notUnique(lines)
	case len(replaced) > MaxFile:
		return "", nil, Errorf(ToolFailed, "%s would be larger than %d MiB. Nothing was changed.", path, MaxFile>>20)
	}
	return replaced, lines, nil
}

// notFound is the error for a text, an edit's old_string, that is not in the body of the file, with what may be meant. path
// is the file's, as it can be put into a sentence.
func notFound(path, body, text string) *Error {
	return Errorf(EditNotFound, "old_string not found in %s. File contains %d lines. %s\nNothing was changed.",
		path, hunks.CountLines(body), cmp.Or(hunks.Similar(body, text), "No line is similar: read the file again."))
}

// notUnique is the error for a text that is in the file more than once, beginning on these lines, counted from 0.
func notUnique(lines []int) *Error {
	var list []string
	for i, line := range lines {
		if i == listedLines {
			list = append(list, "...")
			break
		}
		list = append(list, strconv.Itoa(line+1))
	}
	return Errorf(EditNotUnique, "Found %d matches for old_string. Use replace_all=True or provide more context. Matches at lines: %s\n"+
		"Nothing was changed.", len(lines), strings.Join(list, ", "))
}
