package setup

import (
	"os"
	"slices"
	"strings"
)

// command is what an agent runs because of an entry, as it is written, not as it shall be.
type command struct {
	argv []string       // a program's, run as it is
	line string         // else a shell's
	env  map[string]any // what the entry names besides
	pass []string       // the variables that the entry lets through
}

func (c command) String() string {
	if c.argv == nil {
		return withoutGuard(c.line)
	}
	return commandLine(c.argv...)
}

// runnable is an entry that makes an agent run something.
type runnable interface {
	command(d document) command
}

func (e jsonServer) command(d document) command {
	fields, _ := decode(d.(*jsonDoc).get(e.at...)).(map[string]any)
	return serverCommand(fields)
}

func (e tomlServer) command(d document) command {
	v, _ := d.(*tomlDoc).get(e.at...)
	fields, _ := v.(map[string]any)
	return serverCommand(fields)
}

func serverCommand(fields map[string]any) command {
	c := command{argv: texts(fields["command"]), pass: texts(fields["env_vars"])}
	if program, ok := fields["command"].(string); ok {
		c.argv = append([]string{program}, texts(fields["args"])...)
	}
	for _, block := range []string{"env", "environment"} {
		if env, ok := fields[block].(map[string]any); ok {
			c.env = env
		}
	}
	return c
}

func (e jsonHook) command(d document) command {
	groups, i, k := e.search(d.(*jsonDoc))
	group := decode(&groups.Elements[i]).(map[string]any)
	handler := group["hooks"].([]any)[k].(map[string]any)
	line, _ := handler["command"].(string)
	return command{line: line}
}

func (plugin) command(d document) command {
	return command{line: commandLine(append(pluginWords(d.(*sourceDoc).content), "hook", "opencode")...)}
}

// runsOnly says whether a command runs this program, as setup writes it, does this with it, and nothing else. Other commands of
// ours change files: one takes the gate away.
func (m *Machine) runsOnly(c command, does []string) bool {
	if c.argv != nil {
		return c.argv[0] == m.Program && len(c.env) == 0 && slices.Equal(withoutFlags(c.argv[1:]), does)
	}
	words := shellWords(c.line)
	if commandLine(words...) != c.line {
		return false // a shell may make more of it
	}
	if len(words) > 3 && slices.Equal(words[:3], []string{"sh", "-c", guard}) {
		words = words[3:]
	}
	return len(words) > 0 && words[0] == m.Program && slices.Equal(withoutFlags(words[1:]), does)
}

// userFlags are the flags that a user may give the server and the hooks besides. Each has a value.
var userFlags = []string{"root", "nvim", "log-level", "fallback", "on-no-editor"}

// withoutFlags are the arguments of this program but for those flags.
func withoutFlags(args []string) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case args[i] == name || !slices.Contains(userFlags, name):
			rest = append(rest, args[i])
		case !hasValue:
			i++
		}
	}
	return rest
}

// environment is what every agent hands on, and what the entry names besides.
func (m *Machine) environment(c command) []string {
	var env []string
	for _, name := range []string{"HOME", "LANG", "PATH", "TERM"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range c.env {
		if text, ok := value.(string); ok {
			env = append(env, name+"="+text)
		}
	}
	for _, name := range c.pass {
		if value := m.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// withoutGuard is a hook's command line as people know it.
func withoutGuard(command string) string {
	if words := shellWords(command); len(words) > 3 && words[2] == guard {
		return commandLine(words[3:]...)
	}
	return command
}
