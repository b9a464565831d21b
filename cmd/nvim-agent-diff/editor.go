package main

import (
	"github.com/urfave/cli/v2"

	"nvim-agent-diff/bridge"
	"nvim-agent-diff/review"
)

// newReviewer is who reviews: the running Neovim that a file belongs to. A command for a person at a terminal may start one
// there. The function that it returns ends the connections.
func newReviewer(c *cli.Context) (review.Reviewer, func()) {
	neovims := bridge.NewNeovims(&bridge.Finder{Addr: c.String("nvim")})
	if c.Command.Name == "mcp" {
		return neovims, neovims.Close
	}
	return withOwnNvim(neovims, c.String("nvim")), neovims.Close
}
