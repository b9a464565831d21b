package bridge

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nvim-agent-diff/review"
)

func TestExamine(t *testing.T) {
	eachNvim(t, func(t *testing.T, bin string) {
		h := newHome(t)
		n := h.start(t, bin, h.dir)
		for range 2 { // the second time the modules are there
			health, err := Examine(within(t), n.addr)
			if err != nil {
				t.Fatal(err)
			}
			if health.RoundTrip <= 0 || health.Installed != "" || health.Protocol != 0 || health.Reviews != 0 {
				t.Errorf("without the plugin: %+v", health)
			}
		}
		root, err := filepath.Abs("..")
		if err != nil {
			t.Fatal(err)
		}
		n.lua(t, nil, `vim.opt.runtimepath:append(...)`, root)
		health, err := Examine(within(t), n.addr)
		if err != nil {
			t.Fatal(err)
		}
		if health.Installed != root+"/lua/agent_diff/init.lua" || health.Protocol != Protocol {
			t.Errorf("with the plugin: %+v", health)
		}
	})
}

func TestExamineAtPrompt(t *testing.T) {
	h := newHome(t)
	n := h.in(t, anyNvim(t), h.dir)
	hangAtPrompt(t, n.dial(t, nil))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := Examine(ctx, n.addr)
	if known, ok := errors.AsType[*review.Error](err); !ok || known.Code != review.Cancelled {
		t.Errorf("got %v", err)
	}
}

func TestPlaces(t *testing.T) {
	env := map[string]string{"HOME": "/home/me", "XDG_RUNTIME_DIR": "/run/mine", "TMPDIR": "/home/me/tmp"}
	f := &Finder{Env: func(name string) string { return env[name] }}
	places := f.Places()
	for _, want := range []string{
		"/home/me/.local/state/nvim-agent-diff/instances", "/run/mine", "/home/me/tmp/nvim.*/*", "/tmp/nvim.*/*",
	} {
		if !slices.Contains(places, want) {
			t.Errorf("%s is missing in %s", want, strings.Join(places, ", "))
		}
	}
	env["HOME"] = ""
	if without := f.Places(); without[0] != "/run/mine" {
		t.Errorf("without a home folder, places %q", without)
	}
	if len(places) < 5 || !strings.HasPrefix(places[2], "/run/user/") {
		t.Errorf("places %q", places)
	}
}
