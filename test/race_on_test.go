//go:build race

package test

// raced: the tests run with the race detector, and so must the program.
const raced = true
