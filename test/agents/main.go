// Command agents runs the real agents against a model of ours that plays a script, with the real program, set up by its own
// setup, and a real Neovim whose keys are played. It writes what came of it into a table. `make test-agents`.
//
// All of it happens in a network namespace that has nothing but a loopback.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// inside says that this process is in the namespace.
const inside = "AGENTS_INSIDE_NAMESPACE"

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

func start() error {
	var t tools
	flag.StringVar(&t.modules, "modules", "", "the `folder` of the agents, node_modules")
	flag.StringVar(&t.program, "program", "", "our program")
	flag.StringVar(&t.nvim, "nvim", "nvim", "the Neovim")
	flag.StringVar(&t.plugin, "plugin", ".", "the plugin's `folder`")
	flag.StringVar(&t.logs, "logs", "", "keep what was said in `folder`")
	table := flag.String("table", "", "write the table into `file`")
	only := flag.String("only", "", "only runs whose name, as \"codex gate rejected\", contains this")
	jobs := flag.Int("jobs", runtime.NumCPU(), "runs at a time")
	flag.Parse()
	if os.Getenv(inside) == "" {
		return again()
	}
	for _, path := range []*string{&t.modules, &t.program, &t.plugin} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	results, err := playAll(t, *only, *jobs)
	if err != nil {
		return err
	}
	if *table != "" && *only == "" {
		if err := writeTable(*table, t.modules, results); err != nil {
			return err
		}
	}
	return results.verdict()
}

// again starts this program in a namespace with nothing but a loopback.
func again() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{
		"--map-root-user", "--net", "--", "sh", "-c", `ip link set lo up && exec "$@"`, "sh", self,
	}, os.Args[1:]...)
	cmd := exec.CommandContext(context.Background(), "unshare", args...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// result is what came of one run.
type result struct {
	agent agent
	way   way
	scene scene
	err   error
}

func (r result) String() string { return fmt.Sprintf("%s %s %s", r.agent.name, r.way, r.scene.name) }

type results []result

// playAll plays every scene with every agent, some at a time.
func playAll(t tools, only string, jobs int) (results, error) {
	if t.logs == "" {
		dir, err := os.MkdirTemp("", "agents-logs")
		if err != nil {
			return nil, err
		}
		t.logs = dir
	}
	fmt.Println("logs:", t.logs)
	all := planned(only)
	slots := make(chan struct{}, max(jobs, 1))
	var playing sync.WaitGroup
	for i := range all {
		slots <- struct{}{}
		playing.Go(func() {
			r := &all[i]
			r.err = (&run{tools: t, agent: r.agent, way: r.way, scene: r.scene}).play()
			fmt.Printf("%-70s %s\n", r, r.outcome())
			<-slots
		})
	}
	playing.Wait()
	return all, nil
}

// planned are the runs whose name contains a text. Those that take long come first.
func planned(only string) results {
	var all results
	for _, a := range agents {
		for _, w := range []way{byTool, byGate} {
			for _, s := range scenes {
				r := result{agent: a, way: w, scene: s}
				if strings.Contains(r.String(), only) && (s.wait == nil || r.waits() > 0) {
					all = append(all, r)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b result) int { return cmp.Compare(b.waits(), a.waits()) })
	return all
}

// waits is how long the person lets the agent wait.
func (r result) waits() time.Duration { return r.scene.wait[[2]string{r.agent.name, string(r.way)}] }

// outcome is the result in a few words.
func (r result) outcome() string {
	if r.err == nil {
		return "ok"
	}
	return strings.ReplaceAll(r.err.Error(), "\n", "; ")
}

// verdict is an error when anything went wrong that is ours to keep.
func (all results) verdict() error {
	wrong := 0
	for _, r := range all {
		if r.err != nil {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d runs went wrong", wrong, len(all))
	}
	if len(all) == 0 {
		return errors.New("no run has that name")
	}
	return nil
}
