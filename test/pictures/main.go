// Command pictures makes the pictures of the README from the real program in a real Neovim: an agent's proposal is opened,
// keys are pressed, and the screen is drawn as it is. Run it by `make pictures`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"nvim-agent-diff/screen"
)

const patience = 20 * time.Second

func main() {
	nvim := flag.String("nvim", "nvim", "the Neovim to take pictures of")
	program := flag.String("program", "bin/nvim-agent-diff", "the program")
	project := flag.String("project", "demo/_project", "the folder with before.go and proposed.go")
	out := flag.String("out", "docs/pictures", "where the pictures go")
	flag.Parse()
	for _, s := range scenes {
		if err := s.play(*nvim, *program, *project, *out); err != nil {
			fmt.Fprintf(os.Stderr, "pictures: %s: %v\n", s.name, err)
			os.Exit(1)
		}
	}
}

// scene is one review, from its opening on.
type scene struct {
	name          string
	width, height int
	background    string // 'dark' or 'light'
	config        string // of vim.g.agent_diff, in Lua
	steps         []step
	film          bool // one moving picture in place of one of the last step
}

// step is what is pressed, what is waited for, and how long a film shows it.
type step struct {
	keys, sees string
	shown      time.Duration
}

func (s scene) play(nvim, program, project, out string) error {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for from, to := range map[string]string{"before.go": "inventory.go", "proposed.go": "proposed.go"} {
		text, err := os.ReadFile(filepath.Join(project, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			return err
		}
	}
	editor, err := screen.Start(screen.Options{
		Nvim: nvim, Args: []string{"--clean", "inventory.go"}, Dir: dir, Width: s.width, Height: s.height,
	})
	if err != nil {
		return err
	}
	defer func() { _ = editor.Close() }()
	setup := fmt.Sprintf("vim.o.background = '%s' vim.g.agent_diff = %s", s.background, s.config)
	if err := editor.Lua(nil, setup); err != nil {
		return err
	}
	agent, err := propose(program, editor.Addr(), dir)
	if err != nil {
		return err
	}
	defer agent()
	picture, err := s.take(editor)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, s.name+".svg"), []byte(picture), 0o644)
}

// propose starts an agent, and returns what ends it.
func propose(program, addr, dir string) (end func(), err error) {
	program, err = filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	agent := exec.CommandContext(ctx, program, "--nvim", addr, "propose", "--file", "inventory.go", "--modified", "proposed.go",
		"--description", "Count an item only once, refuse to sell what is not there, and report quantities")
	agent.Dir = dir
	if err := agent.Start(); err != nil {
		cancel()
		return nil, err
	}
	return func() {
		cancel()
		_ = agent.Wait() // however it ended
	}, nil
}

// take presses the keys, and draws what is seen.
func (s scene) take(editor *screen.Screen) (string, error) {
	var frames []*screen.Snapshot
	var shown []time.Duration
	for _, step := range s.steps {
		if err := editor.Input(step.keys); err != nil {
			return "", err
		}
		if err := editor.WaitText(patience, step.sees); err != nil {
			return "", err
		}
		frames, shown = append(frames, settled(editor)), append(shown, step.shown)
	}
	if s.film {
		return screen.Film(frames, shown), nil
	}
	return frames[len(frames)-1].SVG(), nil
}

// settled is the screen when nothing has been drawn for a while: colours of code come after the first frame.
func settled(editor *screen.Screen) *screen.Snapshot {
	for {
		shot := editor.Snapshot()
		time.Sleep(300 * time.Millisecond)
		if editor.Snapshot() == shot {
			return shot
		}
	}
}
