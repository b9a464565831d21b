package agents

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
)

// cellEdit is Claude Code's NotebookEdit: the source of one cell is reviewed as a text.
type cellEdit struct {
	path, cell, source, mode string
}

func readNotebookEdit(input fields) (changes, error) {
	c := &cellEdit{}
	var err error
	if c.path, err = input.text("notebook_path"); err != nil {
		return nil, err
	}
	if c.cell, err = input.optional("cell_id"); err != nil {
		return nil, err
	}
	if c.mode, err = input.optional("edit_mode"); err != nil {
		return nil, err
	}
	if c.source, err = input.optional("new_source"); err != nil {
		return nil, err
	}
	switch c.mode {
	case "", "replace", "insert":
		_, err = input.text("new_source")
	case "delete":
		c.source = ""
	default:
		err = badInput("has the edit_mode %s, which we do not know", shown(c.mode))
	}
	return c, err
}

func (c *cellEdit) files() []change { return []change{{path: c.path, wants: c.wants}} }

func (c *cellEdit) wants(disk hunks.Text) (*wanted, error) {
	cell := hunks.Text{}
	what := "A new cell of the notebook."
	if c.mode != "insert" {
		source, err := c.find(disk)
		if err != nil {
			return nil, err
		}
		cell.Body = source
		what = fmt.Sprintf("The cell %s of the notebook.", shown(c.cell))
	}
	if c.mode == "delete" {
		what += " It is deleted, with its output."
	}
	w := wantText(cell, c.source)
	w.warn(what)
	return w, nil
}

// find is the source of the cell that is meant: by its id, or by its number as in "cell-2". Members are read by their exact
// names, as the agent does.
func (c *cellEdit) find(disk hunks.Text) (string, error) {
	var notebook fields
	err := json.Unmarshal([]byte(disk.Body), &notebook)
	var cells []fields
	if err == nil {
		cells, err = notebook.list("cells")
	}
	if err != nil {
		return "", review.Errorf(review.StaleOriginal, "%s is no notebook. Nothing was changed.", shown(c.path))
	}
	for i, cell := range cells {
		id, err := cell.optional("id")
		if err != nil || id != c.cell && (c.cell != "cell-"+strconv.Itoa(i) || id != "") {
			continue
		}
		var text string
		var lines []string
		if json.Unmarshal(cell["source"], &text) == nil {
			return text, nil
		}
		if json.Unmarshal(cell["source"], &lines) == nil {
			return strings.Join(lines, ""), nil
		}
		return "", review.Errorf(review.StaleOriginal, "The cell %s of %s has no text. Nothing was changed.", shown(c.cell), shown(c.path))
	}
	return "", review.Errorf(review.StaleOriginal, "%s has no cell %s. Nothing was changed. Read it again.", shown(c.path), shown(c.cell))
}

func (c *cellEdit) rewrite(input fields, texts []written) (fields, error) {
	change := map[string]any{"new_source": texts[0].text.Body}
	if c.mode == "delete" && texts[0].text.Body != "" {
		change["edit_mode"] = "replace"
	}
	return input.with(change), nil
}
