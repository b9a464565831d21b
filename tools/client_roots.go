package tools

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rootsTime is how long a client may take to name its roots. One that takes longer has none until it says that they changed.
const rootsTime = 500 * time.Millisecond

// rootsQuery is a client's roots, asked for once and again when they have changed. The newest protocol has no roots; every
// client of today speaks an older one.
type rootsQuery struct {
	mu     sync.Mutex
	latest *rootsAnswer
}

type rootsAnswer struct {
	done  chan struct{}
	roots []root
}

// ask asks the client, and does not wait for the answer. ctx is the session's.
func (q *rootsQuery) ask(ctx context.Context, client *mcp.ServerSession) *rootsAnswer {
	a := &rootsAnswer{done: make(chan struct{})}
	q.mu.Lock()
	q.latest = a
	q.mu.Unlock()
	if p := client.InitializeParams(); p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil { //nolint:staticcheck // see rootsQuery
		close(a.done)
		return a
	}
	go func() {
		defer close(a.done)
		ctx, cancel := context.WithTimeout(ctx, rootsTime)
		defer cancel()
		result, err := client.ListRoots(ctx, nil) //nolint:staticcheck // see rootsQuery
		if err != nil {
			return // newer protocols have no such question
		}
		var uris []string
		for _, r := range result.Roots {
			if r != nil {
				uris = append(uris, r.URI)
			}
		}
		a.roots = clientRoots(uris)
	}()
	return a
}

// get is the client's roots; none when it has none, or does not say.
func (q *rootsQuery) get(ctx, session context.Context, client *mcp.ServerSession) []root {
	q.mu.Lock()
	a := q.latest
	q.mu.Unlock()
	if a == nil {
		a = q.ask(session, client) // it never said that it is initialized
	}
	select {
	case <-a.done:
		return a.roots
	case <-ctx.Done():
		return nil
	}
}
