package policy

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Scope is what an approval is for.
type Scope string

// The scopes.
const (
	ThisCall   Scope = "call"   // the same tool with the same arguments
	ThisFile   Scope = "file"   // any change of a file
	ThisFolder Scope = "folder" // any change of a file in a folder
	ThisTool   Scope = "tool"   // a tool in a project
)

// Approval is a person's yes that is remembered. What it is for is said by Scope; one for reading is not one for changing.
type Approval struct {
	ID      string    `json:"id"`
	Scope   Scope     `json:"scope"`
	Reading bool      `json:"reading,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Path    string    `json:"path,omitempty"` // of the file or the folder
	Root    string    `json:"root,omitempty"` // of the project, for a tool
	Key     string    `json:"key,omitempty"`  // of the call
	Session string    `json:"session,omitempty"`
	PID     int       `json:"pid,omitempty"` // of the server whose session it is
	Host    string    `json:"host,omitempty"`
	Created time.Time `json:"created"`
}

// String says what the approval is for.
func (a Approval) String() string {
	what := "changes"
	if a.Reading {
		what = "reading"
	}
	howLong := "always"
	if a.Session != "" {
		howLong = "this session"
	}
	switch a.Scope {
	case ThisFile:
		return fmt.Sprintf("%s of %s, %s", what, a.Path, howLong)
	case ThisFolder:
		return fmt.Sprintf("%s in %s, %s", what, a.Path, howLong)
	case ThisTool:
		return fmt.Sprintf("%s in %s, %s", a.Tool, a.Root, howLong)
	case ThisCall:
		return fmt.Sprintf("%s with the same arguments, %s", a.Tool, howLong)
	}
	return string(a.Scope)
}

// Rule is the approval as the reason of a verdict.
func (a Approval) Rule() Rule {
	return Rule{Text: fmt.Sprintf("approval %s: %s", a.ID, a)}
}

// Key identifies a call: the tool's name and its arguments with sorted keys.
func Key(tool string, args map[string]any) (string, error) {
	text, err := json.Marshal([]any{tool, args}) // which sorts the keys of maps
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Memory is what persons have let through for a session or for always: a file each in the user's state folder, never in a
// project. So servers need no lock between them: an approval is there as a whole or not at all, and removing its file
// revokes it.
type Memory struct {
	dir     string
	session string
}

// maxApprovals is how many files are looked at.
const maxApprovals = 1000

// NewMemory opens the memory in a state folder. A session's approvals count for memories with the same name of it only; with
// no name there is no session.
func NewMemory(state, session string) *Memory {
	return &Memory{dir: filepath.Join(state, "approvals"), session: session}
}

// NewSession is the name of a session that no other has.
func NewSession() string { return rand.Text() }

// hasSession says whether there is a session that approvals can be for.
func (m *Memory) hasSession() bool { return m.session != "" }

// Find is an approval that lets a request through.
func (m *Memory) Find(r Request) (Approval, bool) {
	all, err := m.List()
	if err != nil {
		return Approval{}, false
	}
	for _, a := range all {
		if a.covers(r) && (a.Session == "" || a.Session == m.session) {
			return a, true
		}
	}
	return Approval{}, false
}

func (r Request) key() string {
	if r.Key == nil {
		return ""
	}
	return r.Key()
}

func (a Approval) covers(r Request) bool {
	if a.Reading != (r.Action == Read) {
		return false
	}
	switch a.Scope {
	case ThisCall:
		return a.Tool == r.Tool && a.Key != "" && a.Key == r.key()
	case ThisFile:
		return a.Path == r.Path
	case ThisFolder:
		_, in := within(a.Path, r.Path)
		return in
	case ThisTool:
		return a.Tool == r.Tool && a.Root == r.Root
	}
	return false
}

// Remember keeps a person's yes to a request, for this session or for always.
func (m *Memory) Remember(r Request, scope Scope, always bool) (Approval, error) {
	a := Approval{Scope: scope, Reading: r.Action == Read, Created: time.Now().UTC().Truncate(time.Second)}
	switch scope {
	case ThisCall:
		a.Tool, a.Key = r.Tool, r.key()
		if a.Key == "" {
			return a, errors.New("the call has no key to remember it by")
		}
	case ThisFile:
		a.Path = r.Path
	case ThisFolder:
		a.Path = filepath.Dir(r.Path)
	case ThisTool:
		a.Tool, a.Root = r.Tool, r.Root
	default:
		return a, fmt.Errorf("%q is no scope of an approval", scope)
	}
	switch {
	case always:
	case m.session == "":
		return a, errors.New("there is no session to remember it for")
	default:
		a.Session, a.PID = m.session, os.Getpid()
		a.Host, _ = os.Hostname()
	}
	a.ID = strings.ToLower(rand.Text()[:8])
	return a, m.write(a)
}

// write puts the approval into its file in one step.
func (m *Memory) write(a Approval) error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(m.dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(append(text, '\n'))
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), m.file(a.ID))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

func (m *Memory) file(id string) string { return filepath.Join(m.dir, id+".json") }

// List is every approval in force in any session, the oldest first. Those of servers that have ended are removed.
func (m *Memory) List() ([]Approval, error) {
	entries, err := os.ReadDir(m.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	var all []Approval
	for _, e := range entries[:min(len(entries), maxApprovals)] {
		id, named := strings.CutSuffix(e.Name(), ".json")
		if !named || !approvalID.MatchString(id) {
			continue
		}
		a, err := m.read(id)
		if err != nil {
			continue // it lets nothing through
		}
		if a.Session != "" && a.PID != 0 && a.Host == host && errors.Is(syscall.Kill(a.PID, 0), syscall.ESRCH) {
			_ = os.Remove(m.file(id))
			continue
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Approval) int { return a.Created.Compare(b.Created) })
	return all, nil
}

// read reads an approval. One that others could have written is none.
func (m *Memory) read(id string) (Approval, error) {
	var a Approval
	info, err := os.Lstat(m.file(id))
	if err != nil {
		return a, err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || int(owner.Uid) != os.Getuid() {
		return a, errors.New("somebody else may have written it")
	}
	text, err := readFile(m.file(id))
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, err
	}
	if a.ID != id {
		return a, errors.New("it has another approval's name")
	}
	return a, nil
}

var approvalID = regexp.MustCompile(`^[a-z0-9]{4,32}$`)

// Revoke forgets an approval.
func (m *Memory) Revoke(id string) error {
	if !approvalID.MatchString(id) {
		return fmt.Errorf("%q is no approval's ID", id)
	}
	err := os.Remove(m.file(id))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no approval %s", id)
	}
	return err
}

// Clear forgets all approvals, also those that cannot be read, and says how many there were.
func (m *Memory) Clear() (int, error) {
	entries, err := os.ReadDir(m.dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			if failed := os.Remove(filepath.Join(m.dir, e.Name())); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			n++
		}
	}
	return n, err
}
