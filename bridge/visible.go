package bridge

import (
	"fmt"
	"strings"

	"nvim-agent-diff/visible"
)

// maxHidden is how many hidden characters are shown as what they are.
const maxHidden = 10_000

// hiddenIn finds the hidden characters of a diff's lines, and says what the person must be told of them. Neovim draws
// control characters and many of these as what they are, but which ones depends on its version.
func hiddenIn(lines []string) (list []wireHidden, warnings []string) {
	list = []wireHidden{}
	alarm := ""
	for row, line := range lines {
		for _, m := range visible.Marks(line) {
			list = append(list, wireHidden{Row: row, Col: m.Col, Bytes: m.Bytes, Text: m.Text})
			if alarm == "" && m.Alarming && strings.HasPrefix(line, "+") {
				alarm = m.Text
			}
		}
		if len(list) > maxHidden {
			list = list[:maxHidden]
			warnings = append(warnings, fmt.Sprintf(
				"There are more than %d invisible characters. Those from row %d of the diff on are not shown.", maxHidden, row+1))
			break
		}
	}
	if alarm != "" {
		warnings = append(warnings,
			"CAREFUL: the new text holds characters that are invisible or turn the direction of writing, such as "+alarm)
	}
	return list, warnings
}
