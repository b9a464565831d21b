package bridge

import (
	"strings"

	"nvim-agent-diff/hunks"
)

// protocol is the number of the language that this program and lua/agent_diff speak; see lua/agent_diff/init.lua.
const protocol = 1

// The types below are what travels to Lua. Rows are 0-based; lines travel without their line ends.

type wireAttach struct {
	Name  string       `msgpack:"name"`
	Rules []hunks.Rule `msgpack:"rules"`
}

type wireRequest struct {
	Ref         int       `msgpack:"ref"`
	Tool        string    `msgpack:"tool"`
	Agent       string    `msgpack:"agent"`
	Description string    `msgpack:"description"`
	Paths       []string  `msgpack:"paths"`
	Claims      []string  `msgpack:"claims,omitempty"` // further paths that no other review may have meanwhile
	Name        string    `msgpack:"name"`
	Shown       wireShown `msgpack:"shown"`
	TextOnly    bool      `msgpack:"text_only"`
	Remember    bool      `msgpack:"remember"` // the person may let the like of it through from now on
	Session     bool      `msgpack:"session"`  // they may do so for a session
}

// wireShown are texts of the agent's as a person shall see them.
type wireShown struct {
	Agent       string `msgpack:"agent"`
	Description string `msgpack:"description"`
	Name        string `msgpack:"name"`
}

type wireOpen struct {
	Lines   []string     `msgpack:"lines"`  // of the diff
	Hidden  []wireHidden `msgpack:"hidden"` // in the lines
	Notices []string     `msgpack:"notices"`
	Files   []wireFile   `msgpack:"files"`
	Auto    string       `msgpack:"auto,omitempty"` // the rule that lets it through without a review
}

// wireRecut is a review with its hunks cut otherwise, as Lua has asked for.
type wireRecut struct {
	Token  int       `msgpack:"token"`          // of what Lua asked
	Why    string    `msgpack:"why"`            // why there is nothing to draw
	Open   *wireOpen `msgpack:"open,omitempty"` // what to draw
	Chosen []int     `msgpack:"chosen"`         // hunks that consist of selected lines
	Text   []string  `msgpack:"text"`           // a hunk's new text
}

// wireHidden is a character that a person would not see, and what to show in its place.
type wireHidden struct {
	Row   int    `msgpack:"row"`
	Col   int    `msgpack:"col"` // in bytes
	Bytes int    `msgpack:"bytes"`
	Text  string `msgpack:"text"`
}

type wireFile struct {
	Path   string     `msgpack:"path"`
	Name   string     `msgpack:"name"`
	Tick   int        `msgpack:"tick"`
	CRLF   bool       `msgpack:"crlf"`
	Kind   string     `msgpack:"kind"`
	To     string     `msgpack:"to"`      // where a renamed file goes
	ToName string     `msgpack:"to_name"` // the same as the agent gave it, as a person shall see it
	Line   int        `msgpack:"line"`    // where it begins in the diff
	Hunks  []wireHunk `msgpack:"hunks"`
	Text   *wireText  `msgpack:"text,omitempty"` // of a review that touches no buffer
}

// wireText is a whole text.
type wireText struct {
	Lines []string `msgpack:"lines"`
	EOL   bool     `msgpack:"eol"` // it ends in a newline, or is empty
}

type wireHunk struct {
	ID     int         `msgpack:"id"`
	Header string      `msgpack:"header"`
	Line   int         `msgpack:"line"`
	Lines  int         `msgpack:"lines"`
	State  string      `msgpack:"state"`
	Reason string      `msgpack:"reason"`
	Inner  bool        `msgpack:"inner"`          // it begins within a printed hunk
	From   *int        `msgpack:"from,omitempty"` // id of the hunk that it was cut from
	Blocks []wireBlock `msgpack:"blocks"`         // none of a hunk that Lua knows
	Whole  *wireWhole  `msgpack:"whole,omitempty"`
}

// wireWhole is what happens to a file as a whole.
type wireWhole struct {
	Kind    string `msgpack:"kind"`    // create, delete, rename; modify: its mode
	Program bool   `msgpack:"program"` // the new mode is a program's
}

type wireBlock struct {
	ID  int      `msgpack:"id"`
	Row int      `msgpack:"row"`
	Old []string `msgpack:"old"`
	New []string `msgpack:"new"`
	EOL *wireEOL `msgpack:"eol,omitempty"`
}

// wireEOL says whether the file ends in a newline, for a block that holds its last line.
type wireEOL struct {
	Old bool `msgpack:"old"`
	New bool `msgpack:"new"`
}

// blocks are the blocks as the buffer holds their lines.
func (c codec) blocks(blocks []hunks.Block) []wireBlock {
	wire := make([]wireBlock, len(blocks))
	for i, b := range blocks {
		old, oldEnds := c.lines(b.Old)
		added, newEnds := c.lines(b.New)
		wire[i] = wireBlock{ID: b.ID, Row: b.Line, Old: old, New: added}
		if !oldEnds || !newEnds {
			wire[i].EOL = &wireEOL{Old: oldEnds, New: newEnds}
		}
	}
	return wire
}

// lines takes the line ends off; ends is false when the last line has none.
func (c codec) lines(lines []string) (bare []string, ends bool) {
	bare, ends = make([]string, len(lines)), true
	for i, line := range lines {
		line, ends = strings.CutSuffix(line, "\n")
		bare[i] = c.line(line, ends)
	}
	return bare, ends
}
