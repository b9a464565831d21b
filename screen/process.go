package screen

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// quitTimeout is how long a Neovim may take to quit before it is killed.
const quitTimeout = 2 * time.Second

// Options say how to start a Neovim.
type Options struct {
	Nvim   string   // the program; "nvim" when empty
	Args   []string // arguments besides --embed and --listen
	Dir    string   // its working folder; this process's own when empty
	Env    []string // further environment, "NAME=value"; of this process's own only PATH is passed on
	Home   string   // an existing folder to be its $HOME, kept afterwards; a private one when empty
	Addr   string   // where to listen; a socket in the private folder when empty
	Width  int      // columns; DefaultWidth when 0
	Height int      // lines; DefaultHeight when 0
	// NoWait returns when the UI is attached, for a Neovim that may ask something while it starts.
	NoWait bool
	// Lag is how much later a frame is seen than it was drawn, and an event heard. Who takes what was for what is now is found
	// out by that.
	Lag time.Duration
}

// Start starts an ordinary Neovim, as a terminal emulator's user would: it listens on a socket, it reads the user's
// configuration, but in a private HOME with all the XDG folders, so that it meets nothing of this machine's user. It
// returns when Neovim has started up and drawn itself.
func Start(opts Options) (*Screen, error) {
	p, err := newProcess(opts)
	if err != nil {
		return nil, err
	}
	addr := opts.Addr
	if addr == "" {
		addr = filepath.Join(p.dir, "nvim.sock")
	}
	s := newScreen(addr)
	s.process, s.lag = p, opts.Lag
	r, w, err := p.start(opts, addr)
	if err == nil {
		err = s.serve(r, w, w)
	}
	if err != nil {
		_ = p.clean()
		return nil, err
	}
	if err = s.attach(opts.Width, opts.Height); err == nil && !opts.NoWait {
		err = s.started()
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("screen: starting %s: %w%s", p.cmd.Path, err, p.stderr.tail())
	}
	return s, nil
}

// started waits until startup is over, or has come to a prompt.
func (s *Screen) started() error {
	return s.Wait(callTimeout, "Neovim has started", func(shot *Snapshot) bool {
		if shot.Frame == 0 {
			return false
		}
		if _, blocking, err := s.Mode(); err != nil || blocking {
			return blocking
		}
		var entered int
		err := s.Lua(&entered, `return vim.v.vim_did_enter`)
		return err == nil && entered == 1
	})
}

// process is the Neovim that we started, with its private folder.
type process struct {
	dir    string // private, removed by clean
	home   string
	cmd    *exec.Cmd
	stderr lastOutput
	waited sync.Once
	err    error
}

func newProcess(opts Options) (*process, error) {
	dir, err := os.MkdirTemp("", "screen")
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	p := &process{dir: dir, home: opts.Home}
	if p.home == "" {
		p.home = filepath.Join(dir, "home")
	}
	for _, sub := range []string{p.home, filepath.Join(dir, "tmp"), filepath.Join(dir, "run")} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			_ = os.RemoveAll(dir)
			return nil, fmt.Errorf("screen: %w", err)
		}
	}
	return p, nil
}

func (p *process) start(opts Options, addr string) (io.Reader, io.WriteCloser, error) {
	name := opts.Nvim
	if name == "" {
		name = "nvim"
	}
	p.cmd = exec.Command(name, append([]string{"--embed", "--listen", addr}, opts.Args...)...)
	p.cmd.Dir = opts.Dir
	p.cmd.Env = append(p.env(), opts.Env...)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a child of Neovim's may hold stderr open
	w, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("screen: %w", err)
	}
	// Not StdoutPipe: Wait would close it under the reader.
	r, out, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("screen: %w", err)
	}
	p.cmd.Stdout = out
	err = p.cmd.Start()
	_ = out.Close()
	if err != nil {
		_ = r.Close()
		return nil, nil, fmt.Errorf("screen: %w", err)
	}
	return r, pipes{r, w}, nil
}

// pipes is the way to and from a child.
type pipes struct {
	io.Closer // what is read
	in        io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close closes both.
func (p pipes) Close() error {
	err := p.in.Close()
	if e := p.Closer.Close(); err == nil {
		err = e
	}
	return err
}

func (p *process) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "USER=screen",
		"HOME=" + p.home,
		"XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(p.home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(p.home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(p.home, ".cache"),
		"XDG_RUNTIME_DIR=" + filepath.Join(p.dir, "run"),
		"TMPDIR=" + filepath.Join(p.dir, "tmp"),
	}
}

// wait reaps the process.
func (p *process) wait() {
	p.waited.Do(func() { p.err = p.cmd.Wait() })
}

// clean removes the private folder. The process has ended.
func (p *process) clean() error { return os.RemoveAll(p.dir) }

// Pid is the process number of the Neovim that [Start] started, else 0.
func (s *Screen) Pid() int {
	if s.process == nil {
		return 0
	}
	return s.process.cmd.Process.Pid
}

// Home is the $HOME of the Neovim that [Start] started.
func (s *Screen) Home() string {
	if s.process == nil {
		return ""
	}
	return s.process.home
}

// Env is the environment that makes a program at home where this Neovim is: the same HOME, XDG folders and TMPDIR.
func (s *Screen) Env() []string {
	if s.process == nil {
		return os.Environ()
	}
	return s.process.env()
}

// Kill ends the Neovim that [Start] started at once, as kill -9 does, and waits until it is gone.
func (s *Screen) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.cmd.Process.Kill()
	<-s.done
}

// quit asks Neovim to end, and kills it when it does not.
func (s *Screen) quit() {
	select {
	case <-s.done:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), quitTimeout)
	defer cancel()
	if _, blocking, err := s.Mode(); err != nil || blocking {
		s.Kill() // it would not answer
		return
	}
	go func() { _ = s.v.Command("qall!") }()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.Kill()
	}
}

// lastOutput keeps the end of what a process wrote.
type lastOutput struct {
	mu  sync.Mutex
	buf []byte
}

func (o *lastOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, b...)
	if over := len(o.buf) - 4096; over > 0 {
		o.buf = append(o.buf[:0], o.buf[over:]...)
	}
	return len(b), nil
}

func (o *lastOutput) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf) == 0 {
		return ""
	}
	return "\n" + string(o.buf)
}
