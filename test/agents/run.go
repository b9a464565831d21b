package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nvim-agent-diff/screen"
	"nvim-agent-diff/test/agents/model"
)

// patience is how long an agent may take to come to its edit, and to end after it. It is seconds, but on a busy machine.
const patience = 3 * time.Minute

// tools are the programs that take part.
type tools struct {
	modules string // the agents' node_modules
	program string // ours
	nvim    string
	plugin  string // this repository, installed in Neovim
	logs    string // where the runs' logs are kept
}

// run is one scene with one agent.
type run struct {
	tools
	agent   agent
	way     way
	scene   scene
	base    string // its private folder: home and project
	model   *model.Server
	editor  *screen.Screen
	process *exec.Cmd
	ended   chan error
	output  bytes.Buffer
}

// play plays it. The error says what was not as it has to be.
func (r *run) play() (err error) {
	if r.base, err = os.MkdirTemp("", "agents"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.base)) }()
	log, err := r.log()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if r.model, err = model.Start(r.script(), log); err != nil {
		return err
	}
	defer r.model.Close()
	defer func() {
		fmt.Fprintf(log, "--- the agent said\n%s\n--- the model was shown\n%s\n--- %v\n", r.output.String(), strings.Join(r.model.Shown(), "\n---\n"), err)
	}()
	if err := r.prepare(); err != nil {
		return err
	}
	if r.scene.editor {
		if err := r.startEditor(); err != nil {
			return err
		}
		defer func() { _ = r.editor.Close() }()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := r.startAgent(ctx); err != nil {
		return err
	}
	defer r.endAgent(cancel)
	if r.scene.editor {
		if err := r.review(); err != nil {
			return err
		}
	}
	select {
	case err := <-r.ended:
		r.ended <- err
	case <-time.After(patience):
		return errors.New("the agent does not end")
	}
	return r.judge()
}

func (r *run) log() (*os.File, error) {
	if err := os.MkdirAll(r.logs, 0o755); err != nil {
		return nil, err
	}
	name := strings.ReplaceAll(fmt.Sprintf("%s-%s-%s.log", r.agent.name, r.way, r.scene.name), " ", "-")
	return os.Create(filepath.Join(r.logs, name))
}

func (r *run) home() string    { return filepath.Join(r.base, "home") }
func (r *run) project() string { return filepath.Join(r.base, "project") }
func (r *run) file() string    { return filepath.Join(r.project(), fileName) }

// script is what the model does: the edit, and then its last words.
func (r *run) script() []model.Turn {
	before, after := lines(), lines(first, second, third)
	turns := append(slices.Clone(r.agent.search), model.Turn{
		Tool: fmt.Sprintf(r.agent.tool, "propose_file_edit"),
		Args: map[string]any{"path": fileName, "original": before, "modified": after, "description": "louder"},
	})
	if r.way == byGate {
		turns = r.agent.edit(r.file(), before, after)
	}
	return append(turns, model.Turn{Text: "I am done."})
}

// prepare makes the folders, the agent's configuration, and has our own setup add us to it.
func (r *run) prepare() error {
	files := map[string]string{r.file(): lines()}
	if r.agent.preset != nil {
		for name, text := range r.agent.preset(r.model.URL()) {
			files[filepath.Join(r.home(), name)] = text
		}
	}
	if err := os.MkdirAll(r.home(), 0o755); err != nil {
		return err
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	setup := exec.CommandContext(context.Background(), r.program, "setup", r.agent.name, "--"+string(r.way), "--yes")
	setup.Dir, setup.Env = r.project(), r.environment()
	if out, err := setup.CombinedOutput(); err != nil {
		return fmt.Errorf("setup: %w\n%s", err, out)
	}
	return nil
}

// environment is the user's, who has nothing set.
func (r *run) environment() []string {
	return []string{"HOME=" + r.home(), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=" + r.base}
}

func (r *run) startEditor() (err error) {
	r.editor, err = screen.Start(screen.Options{
		Nvim: r.nvim, Dir: r.project(), Home: r.home(),
		Args: []string{"--cmd", "set rtp^=" + r.plugin, "--cmd", "let g:agent_diff = {'arm_ms': 0}"},
	})
	return err
}

func (r *run) startAgent(ctx context.Context) error {
	last := len(r.agent.program) - 1
	found, err := filepath.Glob(filepath.Join(r.modules, r.agent.program[last]))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("%s is not in %s", r.agent.program[last], r.modules)
	}
	argv := slices.Concat(r.agent.program[:last], found[:1], r.agent.args("Make the notes louder."))
	r.process = exec.CommandContext(ctx, argv[0], argv[1:]...)
	r.process.Dir = r.project()
	r.process.Env = append(r.environment(), r.agent.env(r.model.URL())...)
	r.process.Stdout, r.process.Stderr = &r.output, &r.output
	r.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.process.Cancel = func() error { return syscall.Kill(-r.process.Process.Pid, syscall.SIGKILL) }
	r.process.WaitDelay = 2 * time.Second
	if err := r.process.Start(); err != nil {
		return err
	}
	r.ended = make(chan error, 1)
	go func() { r.ended <- r.process.Wait() }()
	return nil
}

// endAgent ends it, with all that it has started, and waits for that.
func (r *run) endAgent(cancel func()) {
	cancel()
	r.ended <- <-r.ended
}

// review waits for the review, and does what the person does.
func (r *run) review() error {
	if err := r.waitReview(); err != nil {
		return err
	}
	switch r.scene.kill {
	case "editor":
		r.editor.Kill()
		return nil
	case "program":
		return r.killProgram()
	}
	select {
	case <-time.After(r.scene.wait[[2]string{r.agent.name, string(r.way)}]):
	case err := <-r.ended:
		r.ended <- err
		return errors.New("the agent does not wait")
	}
	return r.editor.Input(r.scene.keys)
}

// waitReview waits until the review is on the screen, or the agent has ended without one.
func (r *run) waitReview() error {
	seen := make(chan error, 1)
	go func() { seen <- r.editor.WaitText(patience, "Agent proposes changes to") }()
	select {
	case err := <-seen:
		if err != nil {
			return errors.New("no review opens")
		}
		return nil
	case err := <-r.ended:
		r.ended <- err
		return errors.New("the agent ends without a review")
	}
}

// killProgram kills our server or hook.
func (r *run) killProgram() error {
	args, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, path := range args {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		words := strings.Split(string(raw), "\x00")
		environment, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if err != nil || words[0] != r.program || !strings.Contains(string(environment), "HOME="+r.home()+"\x00") {
			continue // it has ended, or is of another run
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		return nil
	}
	return errors.New("our program does not run")
}

// judge says what is not as it has to be.
func (r *run) judge() error {
	raw, err := os.ReadFile(r.file())
	if err != nil {
		return err
	}
	var wrong []error
	if got := string(raw); got != r.scene.file {
		wrong = append(wrong, errors.New("the file holds "+nameOf(got)))
	}
	shown := strings.Join(r.model.Shown(), "\n")
	for _, words := range r.scene.told[r.way] {
		if !strings.Contains(shown, words) {
			wrong = append(wrong, fmt.Errorf("the model is not shown %q", words))
		}
	}
	if shown == "" {
		wrong = append(wrong, errors.New("the model is shown nothing"))
	}
	return errors.Join(wrong...)
}

// nameOf says which of the changes a text has.
func nameOf(text string) string {
	for name, known := range map[string]string{
		"no change": lines(), "all changes": lines(first, second, third), "the first and the third change": lines(first, third),
	} {
		if text == known {
			return name
		}
	}
	return "something else"
}
