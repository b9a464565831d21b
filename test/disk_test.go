package test

import (
	"os"
	"testing"
)

// A change that the buffer does not stand against is read: the states follow.
func TestDiskChangedBeforeDeciding(t *testing.T) {
	autoreads(t, func(s *story) {
		call := s.asked()
		s.file("a.txt", "on top\n"+three(2))
		s.pressed(":checktime<CR>")
		s.unasked()
		s.states(pending, applied, pending)
		s.press("gg")
		s.press("a")
		s.states(applied, applied, pending)
		s.press("q")
		s.press("y")
		call.result().accepted("a.txt", true).hunks(2, 0, 1, 0)
		s.fileIs("a.txt", "on top\n"+three(1, 2))
	})
}

// Only the mode, or the time of a file that has no other text than the buffer: no reason not to save.
func TestDiskOnlyTouched(t *testing.T) {
	autoreads(t, func(s *story) {
		call := s.asked()
		s.file("a.txt", three()) // another time
		s.pressed(":checktime<CR>")
		s.press("a")
		s.states(applied, pending, pending)
		must(s.t, os.Chmod(s.path("a.txt"), 0o755))
		s.pressed(":checktime<CR>")
		s.press("q")
		s.press("y")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1))
		s.unasked()
	})
}

// A file that is deleted during the review: decided by the disk, which holds nothing; what is applied stays in the buffer.
func TestDeletedDuring(t *testing.T) {
	for _, look := range []bool{false, true} {
		t.Run(map[bool]string{false: "found at the end", true: "looked at"}[look], func(t *testing.T) {
			autoreads(t, func(s *story) {
				call := s.asked()
				s.press("aa")
				s.states(applied, applied, pending)
				must(s.t, os.Remove(s.path("a.txt")))
				if look {
					s.pressed(":checktime<CR>")
				} else {
					s.press("q")
					s.press("y")
				}
				call.result().rejected("a.txt").hunks(0, 0, 3, 0).says("deleted", "2 applied hunks were never saved")
				s.over()
				s.bufferIs("a.txt", three(1, 2))
				if _, err := os.Lstat(s.path("a.txt")); err == nil {
					s.t.Error("the deleted file is there again")
				}
				s.until("nothing is lost", `return vim.bo.modified and vim.bo.buflisted`)
				s.unasked()
			})
		})
	}
}

// A file that was deleted before is reviewed as the user sees it, and not written without being asked.
func TestDeletedBefore(t *testing.T) {
	autoreads(t, func(s *story) {
		s.file("a.txt", three())
		s.open("a.txt")
		must(s.t, os.Remove(s.path("a.txt")))
		call := s.proposeThree()
		s.see("deleted on disk")
		s.press("A")
		call.result().accepted("a.txt", false).says("Not saved: the file was deleted on disk")
		s.bufferIs("a.txt", three(1, 2, 3))
		if _, err := os.Lstat(s.path("a.txt")); err == nil {
			s.t.Error("the deleted file is there again")
		}
		s.unasked()
	})
}

// Somebody else makes the file that a review is to make.
func TestCreatedDuring(t *testing.T) {
	for _, open := range []bool{false, true} {
		t.Run(map[bool]string{false: "not open", true: "open"}[open], func(t *testing.T) {
			forEachNvim(t, func(s *story) {
				if open {
					s.open("a.txt")
				}
				call := s.propose("a.txt", "", "ours\n", "")
				s.states(pending)
				s.press("a")
				s.states(applied)
				s.file("a.txt", "theirs\n")
				s.press("q")
				call.result().accepted("a.txt", false).says("Not saved: the file was created on disk")
				s.fileIs("a.txt", "theirs\n")
				s.bufferIs("a.txt", "ours\n")
				s.unasked()
			})
		})
	}
}

// The user has a new file open that somebody else has made since: it is read.
func TestCreatedBefore(t *testing.T) {
	autoreads(t, func(s *story) {
		s.open("a.txt")
		s.file("a.txt", three())
		call := s.proposeThree()
		s.press("A")
		call.result().accepted("a.txt", true)
		s.fileIs("a.txt", three(1, 2, 3))
		s.unasked()
	})
}

// The buffer is given another name: it is not the file any more.
func TestRenamedDuring(t *testing.T) {
	forEachNvim(t, func(s *story) {
		call := s.asked()
		s.press("a")
		s.states(applied, pending, pending)
		s.inFile("a.txt", ":file b.txt<CR>")
		call.result().rejected("a.txt").hunks(0, 0, 3, 0).says("another name", "1 applied hunks were never saved and are only in Neovim")
		s.over()
		s.fileIs("a.txt", three())
	})
}
