package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A hook whose output nobody reads any more has lost its agent; a file is always read.
func TestHungUp(t *testing.T) {
	read, write, err := os.Pipe()
	must(t, err)
	defer write.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	defer file.Close()
	if hungUp(write) || hungUp(file) {
		t.Error("somebody reads it")
	}
	must(t, read.Close())
	if !hungUp(write) {
		t.Error("nobody reads it")
	}
}
