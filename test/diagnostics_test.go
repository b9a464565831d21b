package test

import (
	"strings"
	"testing"
	"time"
)

// A language server that reports every line with "bad" in it, some milliseconds after it has heard of it; never, when they
// are negative.
const fakeServer = `
vim.g.fake_ms = 30
vim.api.nvim_create_autocmd('BufReadPost', {
	pattern = '*.txt',
	callback = function(event)
		vim.lsp.start({ name = 'fake', root_dir = vim.fn.getcwd(), cmd = function(dispatchers)
			local closing = false
			local function publish(uri, text)
				local found = {}
				for i, line in ipairs(vim.split(text, '\n')) do
					if line:find('bad') then
						local at = { line = i - 1, character = 0 }
						table.insert(found, { range = { start = at, ['end'] = at }, severity = 1, source = 'fake', message = 'bad word:\n' .. line })
					end
				end
				if vim.g.fake_ms < 0 then return end
				vim.defer_fn(function()
					dispatchers.notification('textDocument/publishDiagnostics', { uri = uri, diagnostics = found })
				end, vim.g.fake_ms)
			end
			return {
				request = function(method, params, callback)
					callback(nil, method == 'initialize' and { capabilities = { textDocumentSync = { openClose = true, change = 1 } } } or nil)
					return true, 1
				end,
				notify = function(method, params)
					if method == 'textDocument/didOpen' then publish(params.textDocument.uri, params.textDocument.text) end
					if method == 'textDocument/didChange' then publish(params.textDocument.uri, params.contentChanges[1].text) end
					if method == 'exit' then dispatchers.on_exit(0, 0) end
					return true
				end,
				is_closing = function() return closing end,
				terminate = function() closing = true end,
			}
		end }, { bufnr = event.buf })
	end,
})
`

// What a language server reports since hunks were applied is told to the agent, what it reported before is not; nobody
// waits for long.
func TestDiagnostics(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, fakeServer+`vim.g.agent_diff = { diagnostics = 60000, arm_ms = 0 }`)
		s.file("a.txt", "a bad line\ntwo\nthree\n")
		s.open("a.txt")
		s.until("the server has reported", `return #vim.diagnostic.get(0) == 1`)
		call := s.propose("a.txt", "a bad line\ntwo\nthree\n", "first\na bad line\nso \x1b[2J bad\nthree\n", "")
		s.see("+first")
		s.press("A")
		r := call.result().accepted("a.txt", true).says("\nThe editor now reports:\n- line 3: error: bad word: so \\x1b[2J bad (fake)\n").silent("line 2:", "line 1:")
		if d := r.Structured.Diagnostics; len(d) != 1 || d[0].Line != 3 || d[0].Severity != "error" || d[0].Source != "fake" {
			s.t.Errorf("the structure has %+v", d)
		}

		// Nothing is applied, or nothing is new.
		call = s.propose("a.txt", "first\na bad line\n", "first\na very bad line\n", "")
		s.see("+a very bad line")
		s.press("R")
		call.result().rejected("a.txt").silent("reports")
		call = s.propose("a.txt", "first\na bad line\n", "zero\na bad line\n", "")
		s.see("+zero")
		s.press("A")
		call.result().accepted("a.txt", true).silent("reports")

		// A file that only the review has open stays so until the answer, and not longer.
		s.file("b.txt", "one\n")
		call = s.propose("b.txt", "one\n", "bad\n", "")
		s.see("+bad")
		s.press("A")
		call.result().accepted("b.txt", true).says("- line 1: error: bad word: bad (fake)")
		s.until("the buffer is given back", `return not vim.api.nvim_buf_is_loaded(vim.fn.bufnr('b.txt'))`)

		// A server that says nothing is not waited for longer than wanted.
		s.lua(nil, `vim.g.fake_ms = -1 require('agent_diff').setup({ diagnostics = 50, arm_ms = 0 })`)
		call = s.propose("b.txt", "bad\n", "worse\n", "")
		s.see("+worse")
		s.press("A")
		began := time.Now()
		call.result().accepted("b.txt", true).silent("reports")
		within(s.t, time.Second, began, time.Now())
		s.lua(nil, `vim.g.fake_ms = 0 require('agent_diff').setup({ diagnostics = false, arm_ms = 0 })`)
		call = s.propose("a.txt", "zero\n", "bad zero\n", "")
		s.see("+bad zero")
		s.press("A")
		call.result().accepted("a.txt", true).silent("reports")
	})
}

// An agent's next proposal for the file that was just reviewed does not lose its buffer.
func TestDiagnosticsAndTheNextReview(t *testing.T) {
	forEachNvim(t, func(s *story) {
		s.lua(nil, fakeServer+`vim.g.fake_ms = -1 vim.g.agent_diff = { diagnostics = 300, arm_ms = 0 }`)
		s.file("b.txt", "one\n")
		first := s.propose("b.txt", "one\n", "two\n", "")
		s.see("+two")
		second := s.another().propose("b.txt", "two\n", "three\n", "")
		s.reviews(2)
		s.press("A")
		s.see("+three")
		first.result().accepted("b.txt", true)
		s.until("time has passed", `vim.wait(350) return true`)
		s.press("A")
		second.result().accepted("b.txt", true)
		s.fileIs("b.txt", "three\n")
		s.until("the buffer is given back", `return not vim.api.nvim_buf_is_loaded(vim.fn.bufnr('b.txt'))`)
		if strings.Contains(first.result().Text, "closed") {
			s.t.Error(first.result().Text)
		}
	})
}
