package tools

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nvim-agent-diff/policy"
	"nvim-agent-diff/review"
)

// sandbox is what a call may touch, and by which rules.
type sandbox struct {
	roots []root
	named []policy.Root // that paths may begin with the names of
	dir   string        // where the caller is
	rules *policy.Policy
}

// sandbox reads the policy for a call. The folders that the configuration names are added to the call's own roots.
func (s *Server) sandbox(ctx context.Context, c *Call) *sandbox {
	b := &sandbox{roots: slices.Clone(s.roots(ctx, c)), dir: c.Dir}
	b.rules = s.guard.Load(texts(b.roots)...)
	b.named = b.rules.Roots()
	for _, r := range b.named {
		if !slices.ContainsFunc(b.roots, func(in root) bool { return in.contains(r.Dir) }) {
			b.roots = append(b.roots, root(r.Dir))
		}
	}
	return b
}

func texts(roots []root) []string {
	list := make([]string, len(roots))
	for i, r := range roots {
		list[i] = string(r)
	}
	return list
}

// find finds the file that path means. NAME/relative/path is a path in the root of that name, where no folder of the
// project has it.
func (b *sandbox) find(path string) (target, error) {
	plain := dirs(b.roots, b.dir)
	t, exists, err := findTarget(b.roots, plain, path)
	name, rest, _ := strings.Cut(path, "/")
	i := slices.IndexFunc(b.named, func(r policy.Root) bool { return r.Name == name })
	if i < 0 || exists {
		return t, err
	}
	// Not cleaned: "link/.." is not where the link is.
	inNamed, exists, namedErr := inRoots(b.roots, path, b.named[i].Dir+"/"+rest)
	if !exists && slices.ContainsFunc(plain, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}) {
		return t, err
	}
	return inNamed, namedErr
}

// toChange finds the file that path means, which is to be changed.
func (b *sandbox) toChange(path string) (target, error) {
	t, err := b.find(path)
	if err != nil {
		return t, err
	}
	if forbidden, rule := b.rules.Forbidden(t.abs); forbidden {
		return t, policy.Denied(rule)
	}
	if readOnly, rule := b.rules.ReadOnly(t.abs); readOnly {
		return t, policy.NotWritable(shown(path), rule)
	}
	return t, nil
}

// toMove finds the file that t, which path means, is to be moved to: a relative path is relative to the same folder.
func (b *sandbox) toMove(t target, path, to string) (target, error) {
	for _, dir := range dirs(b.roots, b.dir) {
		if p, err := resolve(dir + "/" + path); err == nil && p.abs == t.abs {
			beside := *b
			beside.dir = dir
			return beside.toChange(to)
		}
	}
	return b.toChange(to)
}

// toRead finds the file that path means, which is to be read; the person may be asked.
func (s *Server) toRead(ctx context.Context, c *Call, path string) (target, error) {
	b := s.sandboxOf(ctx, c)
	t, err := b.find(path)
	if err != nil {
		return t, err
	}
	if forbidden, rule := b.rules.Forbidden(t.abs); forbidden {
		return t, policy.Denied(rule)
	}
	if err := t.checkText(); err != nil {
		return t, err
	}
	q := review.Question{Tool: c.Tool, Agent: c.Agent, Path: path, Abs: t.abs}
	if err := s.guard.MayRead(ctx, b.rules, b.reading(c, t), q, c.Progress); err != nil {
		return t, err
	}
	return t, t.again(b.find(path)) // the answer may have taken long
}

func (b *sandbox) reading(c *Call, t target) policy.Request {
	return policy.Request{Action: policy.Read, Tool: c.Tool, Path: t.abs, Root: string(t.root), Key: c.key}
}

// granted says whether a tool may be used.
func (b *sandbox) granted(tool string) error {
	if granted, rule := b.rules.Granted(tool); !granted {
		return policy.Denied(rule)
	}
	return nil
}

// Policy is the policy for calls that name no roots of their own.
func (s *Server) Policy(ctx context.Context) *policy.Policy { return s.sandbox(ctx, &Call{}).rules }

// Tools are the names of all tools.
func Tools() []string {
	names := make([]string, len(registry))
	for i, t := range registry {
		names[i] = t.name
	}
	return names
}

// Editors are the names of the tools that edit.
func Editors() []string {
	var names []string
	for _, t := range registry {
		if !t.readOnly {
			names = append(names, t.name)
		}
	}
	return names
}

// sandboxOf is the sandbox of a call, read once.
func (s *Server) sandboxOf(ctx context.Context, c *Call) *sandbox {
	if c.sandbox == nil {
		c.sandbox = s.sandbox(ctx, c)
	}
	return c.sandbox
}
