package test

import (
	"fmt"
	"slices"
	"strings"
)

// three is a file of 30 lines with some of three changes made, which are far enough apart to be three hunks: 1 replaces
// line 4, 2 inserts after line 15, 3 deletes line 27.
func three(applied ...int) string {
	var b strings.Builder
	for i := 1; i <= 30; i++ {
		switch {
		case i == 4 && slices.Contains(applied, 1):
			b.WriteString("FOUR\n")
		case i == 15 && slices.Contains(applied, 2):
			b.WriteString("line 15\nfifteen and a half\n")
		case i == 27 && slices.Contains(applied, 3):
		default:
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	return b.String()
}

// asked is a story in which the user has a.txt open, and the agent has proposed all three changes of it.
func (s *story) asked() *call {
	s.t.Helper()
	s.file("a.txt", three())
	s.open("a.txt")
	return s.proposeThree()
}

func (s *story) proposeThree() *call {
	s.t.Helper()
	c := s.propose("a.txt", three(), three(1, 2, 3), "count better")
	s.shown()
	return c
}

// shown waits until a review of which nothing is decided yet is in a window. What the screen says would not do: it may be
// of the review before.
func (s *story) shown() {
	s.t.Helper()
	s.until("an undecided review is shown", `
		local there, agent_diff = pcall(require, 'agent_diff')
		local r = there and agent_diff.reviews()[1]
		return r and r.bufnr and r.total > 0 and r.pending + r.conflict == r.total and #vim.fn.win_findbuf(r.bufnr) > 0`)
}

// dressed waits until the plugins of the review's file type have run. <C-c> interrupts whatever Neovim is doing, mapped or
// not, and is a key only while Neovim waits for one.
func (s *story) dressed() {
	s.t.Helper()
	s.until("the review has its file type", `return vim.bo[require('agent_diff').reviews()[1].bufnr].filetype == 'agentdiff'`)
}

const (
	pending  = "pending"
	applied  = "applied"
	rejected = "rejected"
	conflict = "conflict"
)

// states waits until the shown review's hunks are in these states, everywhere where one can see them: in
// b:agent_diff, in the progress line, and as marks at the right lines.
func (s *story) states(want ...string) {
	s.t.Helper()
	count := map[string]int{}
	for _, state := range want {
		count[state]++
	}
	progress := fmt.Sprintf("Progress: %d/%d applied, %d rejected, %d pending", count[applied], len(want), count[rejected], count[pending])
	if n := count[conflict]; n > 0 {
		progress += fmt.Sprintf(", %d conflict", n)
	}
	err := s.nvim.Until(patience, fmt.Sprint("hunks are ", want), seenStatesLua+`
		local want, progress = ...
		local got = seen_states()
		return got and vim.deep_equal(got.dictionary, want) and vim.deep_equal(got.marks, want) and got.progress == progress`,
		want, progress)
	if err != nil {
		var got any
		s.lua(&got, seenStatesLua+`return vim.inspect(seen_states())`)
		s.t.Fatalf("%v\nwant %v, %q\ngot %v", err, want, progress, got)
	}
}

const seenStatesLua = `
local function seen_states()
	local there, agent_diff = pcall(require, 'agent_diff')
	local review = there and agent_diff.reviews()[1]
	if not review or not require('agent_diff.queue').shown then return nil end
	local got = { dictionary = {}, marks = {}, progress = '' }
	local d = vim.b[review.bufnr].agent_diff
	local count = { applied = 0, rejected = 0, pending = 0, conflict = 0 }
	for _, hunk in ipairs(d.hunks) do
		table.insert(got.dictionary, hunk.state)
		count[hunk.state] = count[hunk.state] + 1
	end
	for state, n in pairs(count) do
		if d[state] ~= n or d.total ~= #d.hunks then got.dictionary = 'its counts are wrong' end
	end
	local marks = {}
	for _, id in pairs(vim.api.nvim_get_namespaces()) do
		local ok, found = pcall(vim.api.nvim_buf_get_extmarks, review.bufnr, id, 0, -1, { details = true })
		for _, mark in ipairs(ok and found or {}) do
			for _, chunk in ipairs(mark[4].virt_text or {}) do
				local name = chunk[1]:match('%[(%u+).*%]')
				if name then marks[mark[2] + 1] = name:lower() end
			end
		end
	end
	for i, line in ipairs(vim.api.nvim_buf_get_lines(review.bufnr, 0, -1, true)) do
		if line:match('^@@ ') then
			table.insert(got.marks, marks[i] or 'pending')
			marks[i] = nil
		elseif line:match('^Progress: ') then
			got.progress = line
		end
	end
	if next(marks) then got.marks = 'there are marks beside the hunks' end
	return got
end
`

// cursorOn waits until the user is in the review, on the header line of a hunk, counted from 1.
func (s *story) cursorOn(hunk int) {
	s.t.Helper()
	s.until(fmt.Sprintf("the cursor is on hunk %d", hunk), `
		local n = 0
		for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
			if line:match('^@@ ') then n = n + 1 end
			if n == ... then return vim.bo.filetype == 'agentdiff' and vim.fn.line('.') == i end
		end`, hunk)
}

// inReview waits until the user's window shows the review.
func (s *story) inReview() {
	s.t.Helper()
	s.until("the review has the focus", `return vim.bo.filetype == 'agentdiff'`)
}

// inSource waits until the user's window shows a file, with the cursor in this line.
func (s *story) inSource(name string, line int) {
	s.t.Helper()
	s.until(fmt.Sprintf("the cursor is in %s, line %d", name, line), `
		local path, line = ...
		return vim.api.nvim_buf_get_name(0) == path and vim.fn.line('.') == line`, s.path(name), line)
}

// reviews waits until so many reviews are open or wait.
func (s *story) reviews(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("there are %d reviews", n), `
		local there, agent_diff = pcall(require, 'agent_diff')
		return (there and #agent_diff.reviews() or 0) == ...`, n)
}

// over waits until no review is left.
func (s *story) over() {
	s.t.Helper()
	s.until("no review is left", `
		for _, buf in ipairs(vim.api.nvim_list_bufs()) do
			if vim.startswith(vim.api.nvim_buf_get_name(buf), 'agent-diff://') then return false end
		end
		return #require('agent_diff').reviews() == 0`)
}

// endBy ends a review of a.txt in which nothing is applied: by keys, or, when they are "cancel", by the agent.
func (s *story) endBy(keys string, c *call) {
	s.t.Helper()
	if keys == "cancel" {
		c.cancel()
	} else {
		s.press(keys)
		c.result().rejected("a.txt")
	}
	s.over()
}

// inFile is the user doing something in the file's own buffer: keys in a window that shows it, whichever that is.
func (s *story) inFile(name, keys string) {
	s.t.Helper()
	s.lua(nil, `
		local buf = vim.fn.bufnr('^' .. ... .. '$')
		vim.api.nvim_set_current_win(vim.fn.win_findbuf(buf)[1])`, s.path(name))
	s.pressed(keys)
	s.lua(nil, `
		for _, review in ipairs(require('agent_diff').reviews()) do
			local win = review.bufnr and vim.fn.win_findbuf(review.bufnr)[1]
			if win then vim.api.nvim_set_current_win(win) end
		end`)
}
