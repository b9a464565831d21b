package main

import "time"

const (
	glance = 1200 * time.Millisecond
	look   = 2200 * time.Millisecond
)

// walk is a whole review, as its film shows it.
var walk = []step{
	{"", "Progress: 0/5 applied", 2 * look},
	{"a", "1 applied", glance},
	{"a", "2 applied", glance},
	{"a", "3 applied", glance},
	{"a", "4 applied", look},
	{"u", "3 applied", glance},
	{"r", "1 rejected", look},
	{"q", "Finish anyway?", look},
	{"n", "1 pending", glance},
	{"a", "4 applied", look},
	{"q", "inventory.go", look},
}

// halfway is a review with an accepted, a rejected and undecided hunks.
var halfway = []step{{"", "Progress: 0/5 applied", 0}, {"a", "1 applied", 0}, {"r", "1 rejected", 0}, {"a", "2 applied", 0}}

// said is a review with a comment, in a narrow terminal.
var said = []step{
	{"", "Progress: 0/5 applied", 0},
	{"a", "1 applied", 0},
	{"c", "Comment on hunk 2", 0},
	{"Keep the zero value usable.<Esc><CR>", "» Keep the zero value usable.", 0},
	{"r", "1 rejected", 0},
}

var scenes = []scene{
	{name: "review-dark", width: 140, height: 34, background: "dark", config: "{ arm_ms = 0 }", steps: halfway},
	{name: "review-light", width: 140, height: 34, background: "light", config: "{ arm_ms = 0 }", steps: halfway},
	{
		name: "side-by-side", width: 140, height: 34, background: "dark", config: "{ arm_ms = 0, layout = 'split' }",
		steps: halfway,
	},
	{
		name: "in-the-file", width: 140, height: 34, background: "dark", config: "{ arm_ms = 0, layout = 'inline' }",
		steps: []step{{"", "hunk 1/5", 0}, {"a", "1 applied", 0}, {"r", "1 rejected", 0}},
	},
	{name: "comment", width: 80, height: 34, background: "dark", config: "{ arm_ms = 0, line_numbers = false }", steps: said},
	{name: "walk", width: 140, height: 34, background: "dark", config: "{ arm_ms = 0 }", steps: walk, film: true},
}
