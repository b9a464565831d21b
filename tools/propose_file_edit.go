package tools

import (
	"context"

	"nvim-agent-diff/hunks"
)

var proposeFileEdit = &tool{
	name:  "propose_file_edit",
	title: "Propose a file edit",
	description: "Propose to edit, write or create a file. The user reviews the diff in Neovim and accepts or rejects each " +
		"hunk; accepted hunks are applied. Waits until the user has decided, which can take long. " +
		"`original` is what the file holds now: all of it, or a part that occurs exactly once. `modified` is what shall be " +
		"in its place. To create a new file, leave `original` empty. " +
		"The result says which hunks were applied. A rejection is the user's decision and final.",
	params: []param{
		{name: "path", kind: kindPath, description: "The file: absolute, or relative to the project's root."},
		{name: "original", description: "The file's current content exactly as it is, or a part of it that occurs exactly once " +
			"in the file. Empty to create a new file."},
		{name: "modified", description: "The text that shall be in the place of original: complete, and exactly as it shall be " +
			"in the file. Nothing is un-escaped."},
		{name: "description", description: "Why, in a sentence or two: the user sees it above the diff."},
	},
	output: reviewedSchema,
	run: func(ctx context.Context, s *Server, c *Call) (Result, error) {
		args := &c.Arguments
		original, modified := args.text("original"), args.text("modified")
		return s.propose(ctx, c, args.text("description"), edit{
			path: args.text("path"),
			draft: func(t target, current hunks.Text) (*hunks.Patch, error) {
				return placeText(t, current, original, modified)
			},
		})
	},
}
