package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/review"
	"nvim-agent-diff/test/golden"
)

// fileOf is what became of one file of several.
func fileOf(path string, kind hunks.Kind, states ...hunks.State) review.FileOutcome {
	f := ending(states, nil).Files[0]
	f.Path, f.Kind = path, kind
	for i := range f.Hunks {
		switch {
		case i > 0 || kind == hunks.Modify:
		case kind == hunks.Delete:
			f.Hunks[0].Header, f.Hunks[0].Whole = "deleted file mode 100644", true
		case kind == hunks.Create:
			f.Hunks[0].Header = "new file mode 100755"
		case kind == hunks.Rename:
			f.Hunks[0].Header, f.Hunks[0].Whole = "rename to x", true
		}
	}
	return f
}

func TestFilesReports(t *testing.T) {
	schema := compiled(t, proposePatch.output)
	created := fileOf("new.sh", hunks.Create, applied)
	created.Created, created.Saved = true, true
	deleted := fileOf("gone", hunks.Delete, applied)
	deleted.Deleted, deleted.Saved, deleted.Notes = true, true, []string{"Its buffer in Neovim was closed."}
	renamed := fileOf("old", hunks.Rename, applied, applied, rejected)
	renamed.RenamedTo, renamed.Mode, renamed.Saved, renamed.AppliedDiff = "a\nb", hunks.ProgramMode, true, someDiff
	tried := fileOf("tried", hunks.Rename, conflict)
	tried.Hunks[0].Tried, tried.Hunks[0].Reason = true, "x exists already"
	declined := fileOf("declined.go", hunks.Modify, rejected, pending)
	many := &review.Outcome{}
	for i := range maxPatchFiles {
		f := fileOf(fmt.Sprintf("folder/with/a/name/file%d.go", i), hunks.Modify, rejected, rejected, applied)
		if i%2 == 1 {
			f = fileOf(fmt.Sprintf("folder/with/a/name/file%d.go", i), hunks.Modify, repeated(50, rejected)...)
		}
		f.AppliedDiff, f.UserDiff = strings.Repeat("+line\n", 1000), strings.Repeat("+line\n", 1000)
		many.Files = append(many.Files, f)
	}
	for _, test := range []struct {
		name    string
		outcome *review.Outcome
	}{
		{"files", &review.Outcome{
			Files:   []review.FileOutcome{fileOf("a.go", hunks.Modify, applied, rejected), created, deleted, renamed, tried, declined},
			Comment: "Leave declined.go alone.", Notes: []string{"b.go already holds what the patch wants."},
		}},
		{"files-rejected", &review.Outcome{Files: []review.FileOutcome{declined, fileOf("gone", hunks.Delete, rejected)}}},
		{"files-very-many", many},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := answerFiles(test.outcome)
			raw := mustJSON(result.Structure)
			var structure map[string]any
			must(t, json.Unmarshal(raw, &structure))
			must(t, schema.Validate(structure))
			if structure["message"] != result.Text || result.Decision != test.outcome.Decision() {
				t.Errorf("%s", raw)
			}
			if len(raw) > 75_000 {
				t.Errorf("%d bytes", len(raw))
			}
			if test.outcome == many {
				return // it is long, and the rest is alike
			}
			r, ok := result.Structure.(reviewedFiles)
			if !ok {
				t.Fatalf("%T", result.Structure)
			}
			r.Message = "(the text above)"
			for i := range r.Files {
				if !strings.Contains(result.Text, r.Files[i].Message) {
					t.Errorf("the text lacks %s", r.Files[i].Message)
				}
				r.Files[i].Message = "(as above)"
			}
			pretty, err := json.MarshalIndent(r, "", " ")
			must(t, err)
			golden.Check(t, "report/"+test.name+".txt", result.Text+"\n==== structure\n"+string(pretty)+"\n")
		})
	}
}
