package hunks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nvim-agent-diff/test/golden"
)

// TestGolden has whole files: for each case in testdata/print, NAME.old and NAME.new are a file's bytes, and NAME.patch
// is the patch. Without the .old file the file is missing.
func TestGolden(t *testing.T) {
	news, err := filepath.Glob("testdata/print/*.new")
	if err != nil || len(news) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range news {
		stem := strings.TrimSuffix(path, ".new")
		t.Run(filepath.Base(stem), func(t *testing.T) {
			wanted, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			base := Text{Missing: true}
			if old, err := os.ReadFile(stem + ".old"); err == nil {
				base = NewText(string(old))
			} else if !os.IsNotExist(err) {
				t.Fatal(err)
			}
			p, err := Place(base, base.Raw(), string(wanted))
			if err != nil {
				t.Fatal(err)
			}
			got := p.Print("f", "f").Text
			if golden.Updating() {
				golden.Write(t, stem+".patch", got)
			}
			want, err := os.ReadFile(stem + ".patch")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if p.Base.With(p.Modified).Raw() != string(wanted) {
				t.Errorf("the file becomes %q", p.Base.With(p.Modified).Raw())
			}
			checkPure(t, p)
			checkTools(t, p)
		})
	}
}
