package bridge

import (
	"encoding/json"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// socketFolders are the folders in which Neovims of this user put their sockets.
type socketFolders struct {
	run  []string // directly
	temp []string // in nvim.USER/RANDOM/ of them, or, before 0.11, APPNAME.USER/RANDOM/
}

// addresses collects where Neovims of this user may listen, without asking any of them: $NVIM first, then the registry,
// then what a scan finds. An address comes once.
func (f *Finder) addresses() []Candidate {
	var list []Candidate
	seen := map[string]bool{}
	add := func(c Candidate) {
		if place := realPath(c.Addr); c.Addr != "" && !seen[place] {
			seen[place] = true
			list = append(list, c)
		}
	}
	if addr := f.env("NVIM"); addr != "" {
		add(Candidate{Addr: addr, Source: "$NVIM", PID: pidOf(addr)})
	}
	for _, c := range registered(f.env("HOME")) {
		add(c)
	}
	folders := f.socketFolders()
	for _, dir := range folders.run {
		for _, c := range socketsIn(dir) {
			add(c)
		}
	}
	for _, temp := range folders.temp {
		for _, dir := range temporary(temp) {
			for _, c := range socketsIn(dir) {
				add(c)
			}
		}
	}
	return list
}

func (f *Finder) socketFolders() *socketFolders {
	if f.folders != nil {
		return f.folders
	}
	return f.systemFolders()
}

// systemFolders are found without the variables too, because agents pass on next to nothing.
func (f *Finder) systemFolders() *socketFolders {
	uid := strconv.Itoa(os.Getuid())
	folders := &socketFolders{run: []string{"/run/user/" + uid}, temp: []string{"/tmp"}}
	if dir := f.env("XDG_RUNTIME_DIR"); dir != "" {
		folders.run = append([]string{dir}, folders.run...)
	}
	if dir := f.env("TMPDIR"); dir != "" {
		folders.temp = append([]string{dir}, folders.temp...)
	}
	if runtime.GOOS == "darwin" {
		// The temporary folder of a user, as `getconf DARWIN_USER_TEMP_DIR` says; another user's cannot be read.
		own, _ := filepath.Glob("/var/folders/*/*/T")
		folders.temp = append(folders.temp, own...)
	}
	return folders
}

// registryEntry is what lua/agent_diff/registry.lua writes for its Neovim.
type registryEntry struct {
	Addr string `json:"addr"`
	PID  int    `json:"pid"`
	Cwd  string `json:"cwd"`
}

// registryMax bounds what is read of an entry: two paths and two numbers.
const registryMax = 1 << 16

// registryDir is the registry's folder. lua/agent_diff/registry.lua has the same.
func registryDir(home string) string {
	return filepath.Join(home, ".local", "state", "nvim-agent-diff", "instances")
}

// registered reads the registry below a home folder. Entries of Neovims that have ended are left to the Neovims to remove:
// the home folder may be shared with machines on which they live.
func registered(home string) []Candidate {
	if home == "" {
		return nil
	}
	dir := registryDir(home)
	entries, err := os.ReadDir(dir)
	if err != nil || !ours(dir, os.ModeDir) {
		return nil
	}
	var list []Candidate
	for _, file := range entries {
		name := filepath.Join(dir, file.Name())
		if filepath.Ext(name) != ".json" || !ours(name, 0) {
			continue
		}
		var e registryEntry
		if err := readEntry(name, &e); err != nil || e.Addr == "" {
			continue
		}
		if network(e.Addr) == "unix" && (!ours(e.Addr, os.ModeSocket) || !safe(filepath.Dir(e.Addr))) {
			continue
		}
		c := Candidate{Addr: e.Addr, Source: "registry", PID: e.PID}
		if e.Cwd != "" {
			c.Dirs = []string{e.Cwd}
		}
		list = append(list, c)
	}
	return list
}

func readEntry(name string, e *registryEntry) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return json.NewDecoder(io.LimitReader(file, registryMax)).Decode(e)
}

// socketName is how Neovim names its sockets: APPNAME.PID.COUNT.
var socketName = regexp.MustCompile(`\.([0-9]+)\.[0-9]+$`)

// pidOf reads the process out of a socket's name; 0 when it has none.
func pidOf(addr string) int {
	match := socketName.FindStringSubmatch(addr)
	if match == nil {
		return 0
	}
	pid, _ := strconv.Atoi(match[1])
	return pid
}

// socketsIn are this user's own Neovim sockets in a folder.
func socketsIn(dir string) []Candidate {
	entries, err := os.ReadDir(dir)
	if err != nil || !safe(dir) {
		return nil
	}
	var list []Candidate
	for _, e := range entries {
		addr := filepath.Join(dir, e.Name())
		if pid := pidOf(e.Name()); pid > 0 && ours(addr, os.ModeSocket) {
			list = append(list, Candidate{Addr: addr, Source: dir, PID: pid})
		}
	}
	return list
}

// temporary are the temporary folders of this user's Neovims in one that may be everybody's.
func temporary(dir string) []string {
	suffix := "." + strconv.Itoa(os.Getuid()) // what Neovim takes for a user without a name
	if u, err := user.Current(); err == nil {
		suffix = "." + u.Username
	}
	var list []string
	for _, top := range ownFolders(dir) {
		if name := filepath.Base(top); strings.HasPrefix(name, "nvim.") || strings.HasSuffix(name, suffix) {
			list = append(list, ownFolders(top)...)
		}
	}
	return list
}

// ownFolders are this user's own folders in a folder.
func ownFolders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if name := filepath.Join(dir, e.Name()); e.IsDir() && ours(name, os.ModeDir) {
			list = append(list, name)
		}
	}
	return list
}

// ours says whether something is of the type, not a link to it, and belongs to this user. Whoever else can listen in a
// shared folder could pose as Neovim and be told what the agent wants to write.
func ours(name string, kind os.FileMode) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().Type() == kind && owner(info) == os.Getuid()
}

// safe says whether nobody else can replace what is in a folder.
func safe(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	uid := owner(info)
	othersWrite := info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0
	return (uid == os.Getuid() || uid == 0) && !othersWrite
}

// owner is the user that owns a file; -1 where the system does not tell.
func owner(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
