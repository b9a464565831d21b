package policy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxFile is how large a configuration file may be.
const maxFile = 1 << 20

// document is a configuration file as TOML has it.
type document struct {
	Mode          *string              `toml:"mode"`
	ReadApproval  *bool                `toml:"read_approval"`
	WriteApproval *bool                `toml:"write_approval"`
	EditApproval  *bool                `toml:"edit_approval"`
	Allow         []string             `toml:"allow"`
	Ask           []string             `toml:"ask"`
	Deny          []string             `toml:"deny"`
	Tools         *[]string            `toml:"tools"`
	Memory        *bool                `toml:"memory"`
	Log           *bool                `toml:"log"`
	Roots         map[string]rootTable `toml:"roots"`
}

type rootTable struct {
	Path          *string `toml:"path"`
	Mode          *string `toml:"mode"`
	ReadApproval  *bool   `toml:"read_approval"`
	WriteApproval *bool   `toml:"write_approval"`
	EditApproval  *bool   `toml:"edit_approval"`
}

// approvals says of each action whether a person has to be asked; nil where that is not said.
type approvals [len(approvalKeys)]*bool

// layer is what one file says.
type layer struct {
	file             string
	project          string // the folder that the file is in and speaks for; "" for the user's own file
	lines            map[string]int
	mode             Mode // "" when it does not say
	approvals        approvals
	allow, ask, deny []glob
	tools            *[]string
	memory, log      *bool
	roots            []rootRules
}

// rootRules are a root's own rules.
type rootRules struct {
	name, dir string // dir has its symbolic links resolved, as far as they exist
	there     bool   // it is a folder that exists
	readOnly  *bool
	approvals approvals
}

func (l *layer) rule(key, text string) Rule {
	line := l.lines[key]
	for line == 0 && key != "" { // a table that is written in line
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
		line = l.lines[key]
	}
	return Rule{Text: text, File: l.file, Line: max(line, 1)}
}

// rootsOf are the file's roots that a path is in, the innermost first.
func (l *layer) rootsOf(path string) []rootRules {
	var in []rootRules
	for _, r := range l.roots {
		if _, ok := within(r.dir, path); ok {
			in = append(in, r)
		}
	}
	slices.SortStableFunc(in, func(a, b rootRules) int { return cmp.Compare(len(b.dir), len(a.dir)) })
	return in
}

// reading is a file while it is read.
type reading struct {
	layer
	home   string
	doc    document
	broken []Note
	notes  []Note
}

// readLayer reads a configuration file; found is false when there is none. project is the folder of a project's own file.
func readLayer(file, project, home string) (r reading, found bool) {
	r = reading{layer: layer{file: file, project: project}, home: home}
	text, err := readFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, false
	}
	if err != nil {
		r.fail("", "%v", err)
		return r, true
	}
	r.lines = keyLines(text)
	dec := toml.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r.doc); err != nil {
		r.undecoded(err)
		return r, true // what could be read may be the half of it
	}
	r.take()
	return r, true
}

// readFile reads a file that somebody else may have put there: a pipe is not waited for, and a large one not taken.
func readFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, bare(err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("is larger than %d bytes", maxFile)
	}
	return text, nil
}

// bare is a file system's error without the path.
func bare(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		if errors.Is(e.Err, syscall.ENOTDIR) {
			return os.ErrNotExist
		}
		return e.Err
	}
	return err
}

// undecoded says where TOML could not be read.
func (r *reading) undecoded(err error) {
	if missing, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for i := range missing.Errors {
			e := &missing.Errors[i]
			line, _ := e.Position()
			r.broken = append(r.broken, Note{Rule{strings.Join(e.Key(), "."), r.file, line}, "there is no such key"})
		}
		return
	}
	at, problem := Rule{"", r.file, 1}, strings.TrimPrefix(err.Error(), "toml: ")
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		at.Line, _ = e.Position()
		at.Text = strings.Join(e.Key(), ".")
		if strings.HasPrefix(problem, "cannot ") { // and then a type of Go
			problem = "must be " + kindOf(e.Key())
		}
	}
	r.broken = append(r.broken, Note{at, problem})
}

// kindOf says what a key's value must be.
func kindOf(key []string) string {
	if len(key) != 2 { // not roots.NAME
		switch key[len(key)-1] {
		case "mode", "path":
			return "a text in quotes"
		case "allow", "ask", "deny", "tools":
			return `a list of texts, as ["a", "b"]`
		case "read_approval", "write_approval", "edit_approval", "memory", "log":
			return "true or false"
		}
	}
	return "a table, as [roots.NAME]"
}

// fail notes a value that cannot be followed, so that nothing is done at all.
func (r *reading) fail(key, format string, args ...any) {
	r.broken = append(r.broken, Note{r.rule(key, key), fmt.Sprintf(format, args...)})
}

// ignore notes a line that is not followed.
func (r *reading) ignore(key, why string) {
	r.notes = append(r.notes, Note{r.rule(key, key), why})
}

const onlyTighten = "a project's file may only tighten the rules"

// take checks the document and takes over what is followed.
func (r *reading) take() {
	d := &r.doc
	if d.Mode != nil {
		if _, known := strictness[Mode(*d.Mode)]; !known {
			r.fail("mode", "%q is none of %s, %s, %s", *d.Mode, Interactive, AutoApprove, AutoDeny)
		} else {
			r.mode = Mode(*d.Mode)
		}
	}
	r.approvals = r.takeApprovals("", d.ReadApproval, d.WriteApproval, d.EditApproval)
	r.allow = r.takeGlobs("allow", d.Allow)
	if r.project != "" && len(r.allow) > 0 {
		r.ignore("allow", onlyTighten)
		r.allow = nil
	}
	r.ask = r.takeGlobs("ask", d.Ask)
	r.deny = r.takeGlobs("deny", d.Deny)
	r.tools = d.Tools
	r.memory, r.log = d.Memory, d.Log
	if r.project != "" && d.Log != nil {
		r.ignore("log", "only the user's own file says what is logged")
		r.log = nil
	}
	if r.project != "" && d.Memory != nil && *d.Memory {
		r.ignore("memory", onlyTighten)
		r.memory = nil
	}
	names := make([]string, 0, len(d.Roots))
	for name := range d.Roots {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r.takeRoot(name, d.Roots[name])
	}
}

func (r *reading) takeApprovals(prefix string, values ...*bool) approvals {
	var a approvals
	for action, value := range values {
		if value != nil && !*value && r.project != "" {
			r.ignore(prefix+approvalKeys[action], onlyTighten)
			continue
		}
		a[action] = value
	}
	return a
}

func (r *reading) takeGlobs(key string, texts []string) []glob {
	var globs []glob
	for i, text := range texts {
		at := fmt.Sprintf("%s[%d]", key, i)
		g, err := newGlob(text, r.home)
		if err != nil {
			r.fail(at, "%q %v", text, err)
			continue
		}
		g.key = at
		globs = append(globs, g)
	}
	return globs
}

var rootName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

func (r *reading) takeRoot(name string, t rootTable) {
	key := "roots." + name
	if !rootName.MatchString(name) {
		r.fail(key, "a root's name is made of letters, digits, _, . and -")
		return
	}
	if t.Path == nil || *t.Path == "" {
		r.fail(key, `"path" is missing`)
		return
	}
	root := rootRules{name: name}
	path := *t.Path
	if rest, ok := strings.CutPrefix(path+"/", "~/"); ok && r.project == "" {
		path = filepath.Join(r.home, rest)
	}
	switch {
	case r.project != "":
		root.dir = resolveFar(filepath.Join(r.project, path))
		if _, in := within(r.project, root.dir); !in || filepath.IsAbs(path) {
			r.ignore(key+".path", onlyTighten+", and its roots are folders of the project")
			return
		}
	case !filepath.IsAbs(path):
		r.fail(key+".path", "%q is not absolute, and does not begin with ~/", *t.Path)
		return
	default:
		root.dir = resolveFar(path)
	}
	info, err := os.Stat(root.dir)
	root.there = err == nil && info.IsDir()
	if !root.there && r.project == "" {
		r.ignore(key+".path", "there is no such folder")
	}
	if t.Mode != nil {
		readOnly := *t.Mode == "ro"
		switch {
		case !readOnly && *t.Mode != "rw":
			r.fail(key+".mode", "%q is none of rw, ro", *t.Mode)
		case !readOnly && r.project != "":
			r.ignore(key+".mode", onlyTighten)
		default:
			root.readOnly = &readOnly
		}
	}
	root.approvals = r.takeApprovals(key+".", t.ReadApproval, t.WriteApproval, t.EditApproval)
	r.roots = append(r.roots, root)
}

// keyLines are the lines that keys and the elements of lists are on, by their names as "roots.notes.path" and "deny[0]".
func keyLines(text []byte) map[string]int {
	lines := map[string]int{}
	p := unstable.Parser{}
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind { //nolint:exhaustive // the others have no key
		case unstable.Table, unstable.ArrayTable:
			table = noteKey(&p, e, "", lines)
		case unstable.KeyValue:
			noteValue(&p, e, table, lines)
		}
	}
	return lines
}

// noteKey notes the line of a node's key, and is its name.
func noteKey(p *unstable.Parser, node *unstable.Node, prefix string, lines map[string]int) string {
	name := prefix
	for parts := node.Key(); parts.Next(); {
		part := parts.Node()
		if name != "" {
			name += "."
		}
		name += string(part.Data)
		if lines[name] == 0 {
			lines[name] = p.Shape(part.Raw).Start.Line
		}
	}
	return name
}

func noteValue(p *unstable.Parser, node *unstable.Node, prefix string, lines map[string]int) {
	name := noteKey(p, node, prefix, lines)
	value := node.Value()
	switch value.Kind { //nolint:exhaustive // the others have nothing in them
	case unstable.InlineTable:
		for children := value.Children(); children.Next(); {
			noteValue(p, children.Node(), name, lines)
		}
	case unstable.Array:
		i := 0
		for children := value.Children(); children.Next(); {
			if child := children.Node(); child.Kind == unstable.String {
				lines[name+"["+strconv.Itoa(i)+"]"] = p.Shape(child.Raw).Start.Line
			}
			i++
		}
	}
}

func quotedList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}
