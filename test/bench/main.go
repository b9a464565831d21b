// Command bench measures the real program with a real Neovim on this machine, and prints a table: what was measured, the
// floor beside it (the same Neovim made to do the unavoidable and nothing else), and the goal. Run it by `make bench`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	nvim := flag.String("nvim", "nvim", "the Neovim to measure with")
	program := flag.String("program", "bin/nvim-agent-diff", "the program to measure")
	runs := flag.Int("runs", 9, "how often each thing is measured; the table shows the median")
	flag.Parse()
	if err := run(*nvim, *program, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(nvim, program string, runs int) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	version, err := exec.CommandContext(context.Background(), nvim, "--version").Output()
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(version), "\n")
	fmt.Printf("%s, %s, %d cores, median of %d runs\n\n", line, runtime.Version(), runtime.NumCPU(), runs)

	b := &bench{nvim: nvim, program: program, runs: runs}
	if err := b.all(); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "measured\tmedian\tworst\tfloor\tgoal\t")
	for _, r := range b.rows {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t\n", r.what, r.median, r.worst, r.floor, r.goal)
	}
	return out.Flush()
}

// row is one line of the table.
type row struct{ what, median, worst, floor, goal string }

// sample is what several runs took.
type sample []time.Duration

func (s sample) sorted() sample {
	sorted := append(sample(nil), s...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted
}

func (s sample) median() time.Duration { return s.sorted()[len(s)/2] }

func (s sample) worst() time.Duration { return s.sorted()[len(s)-1] }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func (b *bench) add(what string, s, floor sample, goal string) {
	r := row{what: what, median: ms(s.median()), worst: ms(s.worst()), goal: goal}
	if len(floor) > 0 {
		r.floor = ms(floor.median())
	}
	b.rows = append(b.rows, r)
}
