package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/demo"
)

// demoCommand shows the whole way once: on a terminal with the person there, else by itself.
func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "an agent proposes an edit of a small project's file, and you review it",
		Description: "On a terminal, a Neovim is started there for you. Without one (CI, pipes) keys are played through a " +
			"real Neovim, and what a person would see is printed.\nNVIM_BIN names the Neovim, else it is the one on the PATH.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "play", Usage: "play the keys even on a terminal"},
			&cli.BoolFlag{Name: "color", Usage: "print the played screens with their colours"},
		},
		Action: interruptible(func(ctx context.Context, c *cli.Context) error {
			program, err := os.Executable()
			if err != nil {
				return err
			}
			err = demo.Run(ctx, demo.Options{
				Program:  program,
				Terminal: !c.Bool("play") && onTerminal(os.Stdin) && onTerminal(os.Stdout),
				Colors:   c.Bool("color"),
				Out:      c.App.Writer,
			})
			if ctx.Err() != nil {
				return errInterrupted
			}
			return err
		}),
	}
}
