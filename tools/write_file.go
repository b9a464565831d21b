package tools

import (
	"context"
	"fmt"

	"nvim-agent-diff/hunks"
)

var writeFile = &tool{
	name:  "write_file",
	title: "Write a file",
	description: "Use this to write a whole file: create it, with its folders, or overwrite it. The user reviews the diff in Neovim and " +
		"accepts or rejects it, hunk by hunk where the file exists. Waits until the user has decided, which can take long. " +
		"To change a part of a file use edit_file. A rejection is the user's decision and final.",
	params: []param{
		{name: "path", kind: kindPath, description: "The file: absolute, or relative to the project's root."},
		{name: "content", kind: kindText, description: "The file's complete content. Nothing is un-escaped."},
		{name: "description", kind: kindText, optional: true, description: "Why, in a sentence or two: the user sees it above the diff."},
	},
	output: reviewedSchema,
	run: func(ctx context.Context, s *Server, c *Call) (Result, error) {
		args := &c.Arguments
		content := args.text("content")
		return s.propose(ctx, c, args.text("description"), edit{
			path: args.text("path"), written: true,
			draft: func(t target, current hunks.Text) (*hunks.Patch, error) {
				patch, err := placeText(t, current, current.Raw(), content)
				if err == nil && current.Body != "" {
					patch.Warnings = append(patch.Warnings, fmt.Sprintf(
						"This will overwrite existing file (was %d lines, now %d lines)", hunks.CountLines(current.Body), hunks.CountLines(content)))
				}
				return patch, err
			},
		})
	},
}
