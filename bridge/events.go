package bridge

import "sync"

// event is one notification of a review.
type event struct {
	name string
	args Value // without the review's ref
}

// events is a queue without a bound: the editor must never wait for a review that is busy with a large file.
type events struct {
	mu    sync.Mutex
	queue []event
	ready chan struct{} // holds a token when the queue may not be empty
}

func newEvents() *events { return &events{ready: make(chan struct{}, 1)} }

func (q *events) push(e event) {
	q.mu.Lock()
	q.queue = append(q.queue, e)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *events) take() []event {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.queue
	q.queue = nil
	return taken
}
