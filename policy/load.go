package policy

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectFile is the name of a project's own rules, in its top folder.
const ProjectFile = ".nvim-agent-diff.toml"

// Places are where the user's own files are.
type Places struct {
	Home   string
	Config string // the configuration file
	State  string // the folder for what is remembered
}

// UserPlaces are the places of this user. The state's follows from the home folder alone, like the registry of Neovims: an
// agent may pass on no other variable, and all servers have to find the same.
func UserPlaces() (Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		who, unknown := user.Current()
		if unknown != nil {
			return Places{}, unknown
		}
		home = who.HomeDir
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) { // the specification wants a relative one to be passed over
		config = filepath.Join(home, ".config")
	}
	return Places{
		Home:   home,
		Config: filepath.Join(config, "nvim-agent-diff", "config.toml"),
		State:  filepath.Join(home, ".local", "state", "nvim-agent-diff"),
	}, nil
}

// Load reads the user's configuration and the projects' files in the roots and above them. memory may be nil. What cannot be
// read is in the policy, and forbids everything.
func Load(places Places, memory *Memory, roots ...string) *Policy {
	return load(places, memory, roots, nil)
}

// load is Load, and reads the projects' files in further folders and above them.
func load(places Places, memory *Memory, roots, folders []string) *Policy {
	p := &Policy{memory: memory, protected: newProtected(places)}
	if places.Config != "" {
		if user, found := readLayer(places.Config, "", places.Home); found {
			p.add(user)
		}
	}
	for _, root := range roots {
		p.dirs = append(p.dirs, dir{path: root})
	}
	for _, r := range p.Roots() {
		p.dirs = append(p.dirs, dir{r.Name, r.Dir})
	}
	for _, d := range p.dirs {
		folders = append(folders, d.path)
	}
	for _, folder := range withParents(folders) {
		if project, found := readLayer(filepath.Join(folder, ProjectFile), folder, places.Home); found {
			p.loosened(&project)
			p.add(project)
			p.protected.add(project.file)
		}
	}
	return p
}

func (p *Policy) add(r reading) {
	p.layers = append(p.layers, r.layer)
	p.broken = append(p.broken, r.broken...)
	p.Notes = append(p.Notes, r.notes...)
}

// loosened notes a project's mode when it is looser than the one in force without it.
func (p *Policy) loosened(r *reading) {
	if mode, _ := p.Mode(); r.mode != "" && strictness[r.mode] < strictness[mode] {
		r.ignore("mode", onlyTighten)
		r.mode = ""
	}
}

// withParents are the folders and all those above them, the outer first.
func withParents(folders []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, folder := range folders {
		for at := folder; !seen[at]; at = filepath.Dir(at) {
			seen[at] = true
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return all
}

// Root is a folder that the configuration names.
type Root struct{ Name, Dir string }

// Roots are the folders that the configuration names and that are there: the user's, and below them the projects'.
func (p *Policy) Roots() []Root {
	var roots []Root
	for i := range p.layers {
		for _, r := range p.layers[i].roots {
			if r.there {
				roots = append(roots, Root{r.name, r.dir})
			}
		}
	}
	return roots
}

// resolveFar follows the symbolic links of a path as far as it exists.
func resolveFar(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// protected are the files that the policy is made of. They are changed by a person only.
type protected struct {
	folders []string // folded
	files   []os.FileInfo
}

func newProtected(places Places) protected {
	var p protected
	for _, folder := range []string{filepath.Dir(places.Config), places.State} {
		if filepath.IsAbs(folder) {
			p.folders = append(p.folders, fold(resolveFar(folder)))
		}
	}
	p.add(places.Config)
	return p
}

func (p *protected) add(file string) {
	if info, err := os.Stat(file); err == nil {
		p.files = append(p.files, info)
	}
}

// holds says whether a path is one of them, in whatever case it is written, or by another name of the same file.
func (p *protected) holds(path string) bool {
	folded := fold(path)
	if filepath.Base(folded) == ProjectFile {
		return true
	}
	for _, folder := range p.folders {
		if _, in := within(folder, folded); in {
			return true
		}
	}
	info, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(p.files, func(own os.FileInfo) bool { return os.SameFile(own, info) })
}
