// Command nvim-agent-diff lets a person review what coding agents want to change, hunk by hunk, in their own Neovim.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/tools"
)

// The exit codes. They are part of the contract.
const (
	exitAccepted    = 0
	exitRejected    = 1
	exitError       = 2
	exitNoEditor    = 3
	exitInterrupted = 130
)

// errInterrupted ends a command that changes nothing.
var errInterrupted = cli.Exit("interrupted", exitInterrupted)

func main() { os.Exit(run(os.Args)) }

// run runs the command line and is the exit code.
func run(args []string) int {
	app := newApp()
	err := app.Run(args)
	if err == nil {
		return exitAccepted
	}
	code := exitError
	if exit, ok := errors.AsType[cli.ExitCoder](err); ok {
		code = exit.ExitCode()
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(os.Stderr, "nvim-agent-diff:", tools.Visible(text))
	}
	return code
}

func newApp() *cli.App {
	app := &cli.App{
		Name:        "nvim-agent-diff",
		Usage:       "review what coding agents want to change, hunk by hunk, in your Neovim",
		HideVersion: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "nvim", Usage: "use the Neovim that listens at `ADDR`"},
			&cli.StringSliceFlag{Name: "root", Usage: "change files in `DIR` only (repeatable)"},
			&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "log `LEVEL` and above to stderr: debug, info, warn, error"},
		},
		Before: startLog,
		Commands: []*cli.Command{
			mcpCommand(),
			hookCommand(),
			proposeCommand(),
			reviewCommand(),
			approveCommand(),
			diffCommand(),
			logCommand(),
			approvalsCommand(),
			setupCommand(),
			doctorCommand(),
			demoCommand(),
			versionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("unknown command %q; there are: %s", c.Args().First(), commandNames(c.App))
			}
			c.App.Writer = os.Stderr
			cli.HelpPrinter(c.App.Writer, cli.AppHelpTemplate, c.App)
			return cli.Exit("", exitError)
		},
		OnUsageError:   usageError,
		ExitErrHandler: func(*cli.Context, error) {}, // run does it
	}
	// A folder's name may hold a comma.
	app.DisableSliceFlagSeparator = true
	for _, c := range app.Commands {
		tidy(c)
		c.OnUsageError = usageError
		c.HideHelpCommand = true
		if c.ArgsUsage == "" {
			c.Action = withoutArguments(c.Action)
		}
	}
	return app
}

// tidy takes from a command's help that what is not given is not so.
func tidy(c *cli.Command) {
	for _, flag := range c.Flags {
		if yes, ok := flag.(*cli.BoolFlag); ok {
			yes.DisableDefaultText = true
		}
	}
	for _, c := range c.Subcommands {
		tidy(c)
	}
}

func usageError(c *cli.Context, err error, _ bool) error {
	return fmt.Errorf("%w; see %s --help", err, commandLine(c))
}

// commandLine is how the command is called.
func commandLine(c *cli.Context) string {
	if c.Command != nil && c.Command.HelpName != "" {
		return c.Command.HelpName
	}
	return c.App.Name
}

// withoutArguments refuses what no flag took.
func withoutArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return fmt.Errorf("unexpected argument %q; see %s --help", c.Args().First(), commandLine(c))
		}
		return action(c)
	}
}

// interruptible is an action with a context that ends when the person, the system or the terminal wants the program to end.
func interruptible(action func(context.Context, *cli.Context) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return action(ctx, c)
	}
}

func commandNames(app *cli.App) string {
	var names []string
	for _, c := range app.VisibleCommands() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// startLog sends the log to stderr: stdout is for answers only.
func startLog(c *cli.Context) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return fmt.Errorf("--log-level %q is none of debug, info, warn, error", c.String("log-level"))
	}
	slog.SetDefault(newLog(os.Stderr, level))
	return nil
}

func newLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
