package test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"nvim-agent-diff/hunks"
	"nvim-agent-diff/screen"
	"nvim-agent-diff/screen/screentest"
)

// Real edits: what changed in Neovim's own runtime files between the oldest and the newest Neovim that we test with,
// proposed one after the other in one editor and decided at random. Each file is byte for byte what `git apply` makes of the
// accepted hunks. $REAL_EDITS says how many (20), $SEED which.
func TestRealEdits(t *testing.T) {
	nvims := screentest.Nvims(t)
	if len(nvims) < 2 {
		t.Skip("needs the runtime files of two Neovims")
	}
	count, seed := fromEnv("REAL_EDITS", 20), uint64(fromEnv("SEED", 1))
	random := rand.New(rand.NewPCG(seed, 0))
	edits := realEdits(t, runtimeOf(t, nvims[0]), runtimeOf(t, nvims[len(nvims)-1]))
	if len(edits) < 100 {
		t.Fatalf("only %d files differ", len(edits))
	}
	s := newStory(t, nvims[len(nvims)-1])
	for range count {
		e := edits[random.IntN(len(edits))]
		s.decideAtRandom(e, random)
	}
}

func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// edit is a file before and after.
type edit struct{ name, before, after string }

// runtimeOf is the folder of a Neovim's runtime files.
func runtimeOf(t *testing.T, nvim string) string {
	t.Helper()
	s := screentest.Start(t, screen.Options{Nvim: nvim, Args: []string{"--clean"}})
	var dir any
	must(t, s.Lua(&dir, "return vim.env.VIMRUNTIME"))
	return dir.(string)
}

// realEdits are the files that are in both folders as text, and differ.
func realEdits(t *testing.T, before, after string) []edit {
	t.Helper()
	var edits []edit
	must(t, filepath.WalkDir(before, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(before, path)
		must(t, err)
		b, err := os.ReadFile(path)
		must(t, err)
		a, err := os.ReadFile(filepath.Join(after, name))
		if err == nil && string(a) != string(b) && isText(a) && isText(b) {
			edits = append(edits, edit{name, string(b), string(a)})
		}
		return nil // a file that is gone in the newer runtime is no edit
	}))
	return edits
}

func isText(raw []byte) bool {
	return utf8.Valid(raw) && !strings.Contains(string(raw), "\x00") && len(raw) < 300_000
}

// decideAtRandom proposes an edit, accepts and rejects its hunks at random, and checks the file.
func (s *story) decideAtRandom(e edit, random *rand.Rand) {
	s.t.Helper()
	s.file(e.name, e.before)
	if random.IntN(2) == 0 {
		s.open(e.name)
	}
	patch := hunks.Diff(hunks.NewText(e.before), hunks.NewText(e.after).Body)
	accepted := map[int]bool{}
	keys := ""
	for _, h := range patch.Hunks {
		accepted[h.ID] = random.IntN(2) == 0
		if accepted[h.ID] {
			keys += "a"
		} else {
			keys += "r"
		}
	}
	call := s.propose(e.name, e.before, e.after, "bring "+e.name+" up to date")
	s.until("the review of "+e.name+" is here", "return vim.b.agent_diff ~= nil and vim.b.agent_diff.path == ...", s.path(e.name))
	s.press(keys + "q")
	r := call.result()
	if strings.Contains(keys, "a") {
		r.accepted(e.name, true)
	} else {
		r.rejected(e.name)
	}
	want := e.before
	if selected := patch.Select(func(id int) bool { return accepted[id] }); len(selected.Hunks) > 0 {
		want = gitApply(s.t, e.before, selected.Print("f", "f").Text)
	}
	s.fileIs(e.name, want)
}

// gitApply is what git makes of a text and a patch of a file f.
func gitApply(t *testing.T, text, patch string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600))
	cmd := exec.CommandContext(t.Context(), "git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "f"))
	must(t, err)
	return string(got)
}
