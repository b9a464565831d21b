package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"nvim-agent-diff/prompt"
	"nvim-agent-diff/review"
)

// A hook has no terminal of its own: the agent's is the agent's. Inside tmux there is a way: a popup, in which this program
// runs once more, as a holder. It hands the popup's terminal over to the hook through a socket, does nothing with it, and
// closes the popup by ending when the hook has done with it.

// popup reviews on the terminal of a tmux popup.
type popup struct {
	// start opens a popup, in which a command runs. wait is its end, with what went wrong.
	start func(ctx context.Context, command ...string) (wait func() error, err error)
}

// newPopup is a reviewer in a popup; where there is no tmux, one that says so.
func newPopup(env func(string) string) review.Reviewer {
	if env("TMUX") == "" {
		return noPopup{review.Errorf(review.EditorUnavailable, "No Neovim is found, and there is no tmux to ask in. Nothing was changed.")}
	}
	return &popup{start: startTmux}
}

func startTmux(ctx context.Context, command ...string) (wait func() error, err error) {
	args := []string{"display-popup", "-E", "-w", "90%", "-h", "90%", "-T", " nvim-agent-diff ", "--"}
	tmux := exec.CommandContext(ctx, "tmux", append(args, command...)...)
	var said strings.Builder
	tmux.Stderr = &said
	return func() error {
		if err := tmux.Wait(); err != nil {
			return fmt.Errorf("%w. %s", err, strings.TrimSpace(said.String()))
		}
		return nil
	}, tmux.Start()
}

type noPopup struct{ err *review.Error }

// Review fails; see [review.Reviewer].
func (n noPopup) Review(context.Context, review.Proposal, func(string)) (*review.Outcome, error) {
	return nil, n.err
}

// Read fails; see [review.Reviewer].
func (n noPopup) Read(context.Context, string) (*review.Document, error) { return nil, n.err }

// Read is not what a popup is for; see [review.Reviewer].
func (p *popup) Read(context.Context, string) (*review.Document, error) { return nil, errNoTerminal }

// popupLimit is how long a popup may take to open.
const popupLimit = 5 * time.Second

// Review shows the proposal; see [review.Reviewer].
func (p *popup) Review(ctx context.Context, pr review.Proposal, progress func(string)) (*review.Outcome, error) {
	out, err := p.review(ctx, pr, progress)
	if _, known := errors.AsType[*review.Error](err); err == nil || known {
		return out, err
	}
	return nil, review.Errorf(review.EditorUnavailable, "No Neovim is found, and a popup of tmux cannot be used: %v. Nothing was changed.", err)
}

func (p *popup) review(ctx context.Context, pr review.Proposal, progress func(string)) (*review.Outcome, error) {
	dir, err := os.MkdirTemp("", "nvim-agent-diff")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "popup"), Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }()
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	_ = listener.SetDeadline(time.Now().Add(popupLimit)) // before the popup's end, which sets another
	wait, err := p.start(ctx, program, "hook", "--hold", listener.Addr().String())
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		ended <- wait()
		_ = listener.SetDeadline(time.Now()) // nobody comes any more
	}()
	holder, err := listener.AcceptUnix()
	if err != nil {
		select {
		case why := <-ended:
			err = cmp.Or(why, err)
		default:
		}
		return nil, fmt.Errorf("it does not open: %w", err)
	}
	// Its end, and ours, close the popup: a terminal that somebody reads from cannot be closed before.
	defer func() { _ = holder.Close() }()
	tty, term, err := takeTerminal(holder)
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	env := func(name string) string {
		if name == "TERM" {
			return term
		}
		return os.Getenv(name)
	}
	open, gone := context.WithCancel(ctx)
	defer gone()
	go func() {
		_, _ = holder.Read(make([]byte, 1)) // it says nothing more; this is its end
		gone()
	}()
	return prompt.New(tty, env).Review(open, pr, progress)
}

// takeTerminal takes the terminal that a holder hands over, and its kind.
func takeTerminal(holder *net.UnixConn) (tty *os.File, term string, err error) {
	data, rights := make([]byte, 256), make([]byte, unix.CmsgSpace(4))
	n, size, _, _, err := holder.ReadMsgUnix(data, rights)
	if err != nil {
		return nil, "", err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) == 0 {
		return nil, "", errors.New("it hands over no terminal")
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(files) != 1 {
		return nil, "", errors.New("it hands over no terminal")
	}
	return os.NewFile(uintptr(files[0]), "popup"), strings.TrimSuffix(string(data[:n]), "\n"), nil
}

// holdFlag is the address of the hook that wants a terminal.
func holdFlag() cli.Flag { return &cli.StringFlag{Name: "hold", Hidden: true} }

// hold hands this process's terminal over, and waits until nobody needs it any more.
func hold(addr string) error {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: addr, Net: "unix"})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, _, err := conn.WriteMsgUnix([]byte(os.Getenv("TERM")+"\n"), unix.UnixRights(int(os.Stdin.Fd())), nil); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}
