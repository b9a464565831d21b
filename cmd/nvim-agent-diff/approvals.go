package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/visible"
)

// approvalsCommand lists and revokes what a person has let through.
func approvalsCommand() *cli.Command {
	return &cli.Command{
		Name:  "approvals",
		Usage: "list and revoke what you have let through without a review",
		Description: "They are files in ~/.local/state/nvim-agent-diff/approvals, for you only. Servers that run heed a change " +
			"at once.",
		ArgsUsage: "list | revoke ID... | clear",
		Action: func(c *cli.Context) error {
			places, err := policy.UserPlaces()
			if err != nil {
				return err
			}
			memory := policy.NewMemory(places.State, "")
			switch verb, rest := c.Args().First(), c.Args().Tail(); {
			case verb == "list" && len(rest) == 0, !c.Args().Present():
				return listApprovals(c, memory)
			case verb == "revoke" && len(rest) > 0:
				for _, id := range rest {
					err = errors.Join(err, memory.Revoke(id))
				}
				return err
			case verb == "clear" && len(rest) == 0:
				n, err := memory.Clear()
				fmt.Fprintf(c.App.Writer, "%d approvals are forgotten\n", n)
				return err
			}
			return fmt.Errorf("approvals takes list, revoke ID... or clear; see %s approvals --help", c.App.Name)
		},
	}
}

func listApprovals(c *cli.Context, memory *policy.Memory) error {
	all, err := memory.List()
	for _, a := range all {
		line := fmt.Sprintf("%s  %s  %s", a.ID, a.Created.Local().Format("2006-01-02 15:04"), a)
		fmt.Fprintln(c.App.Writer, visible.Line(line, false))
	}
	return err
}
