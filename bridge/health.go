package bridge

import (
	"context"
	"slices"
	"time"
)

// Protocol is the number of the language that this program and its Lua speak.
const Protocol = protocol

// Health is what a Neovim can say for itself.
type Health struct {
	RoundTrip time.Duration // how long a request and its answer take: the median of some
	Installed string        // the installed plugin's main file; empty when the program brings its Lua along
	Protocol  int           // the installed plugin's
	Reviews   int           // that are open or wait
}

// healthChunk looks for the plugin where Neovim would; the modules that a server brought along are in no file.
const healthChunk = `
local path = vim.api.nvim_get_runtime_file('lua/agent_diff/init.lua', false)[1] or ''
local ok, plugin = pcall(dofile, path)
return { path = path, protocol = path ~= '' and ok and plugin.protocol or 0, reviews = #require('agent_diff').reviews() }`

// Examine attaches to a Neovim as for a review, and asks it how it is.
func Examine(ctx context.Context, addr string) (Health, error) {
	const state = "Nothing was changed."
	e, err := attach(ctx, addr, func(string) {})
	if err != nil {
		return Health{}, failure(err, state)
	}
	defer e.client.Close()
	var answer Value
	if err := e.client.Lua(ctx, &answer, healthChunk); err != nil {
		return Health{}, failure(err, state)
	}
	h := Health{
		Installed: answer.Key("path").Text(), Protocol: answer.Key("protocol").Int(), Reviews: answer.Key("reviews").Int(),
	}
	if err := answer.Err(); err != nil {
		return Health{}, failure(err, state)
	}
	times := make([]time.Duration, 9)
	for i := range times {
		begin := time.Now()
		if err := e.client.Lua(ctx, nil, "return"); err != nil {
			return Health{}, failure(err, state)
		}
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	h.RoundTrip = times[len(times)/2]
	return h, nil
}

// Places are where a search for a Neovim looks, besides $NVIM.
func (f *Finder) Places() []string {
	var places []string
	if home := f.env("HOME"); home != "" {
		places = append(places, registryDir(home))
	}
	folders := f.socketFolders()
	places = append(places, folders.run...)
	for _, dir := range folders.temp {
		places = append(places, dir+"/nvim.*/*")
	}
	return places
}
