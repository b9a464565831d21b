package bridge

import "sync"

// notification is an rpcnotify() from Lua.
type notification struct {
	name string
	args []any
}

// notificationQueue keeps notifications between the goroutine that reads them, which must never wait, and the one that
// hands them over, which may.
type notificationQueue struct {
	mu     sync.Mutex
	wake   chan struct{} // capacity 1
	items  []notification
	err    error
	failed bool // the connection is gone; err is why
	ended  bool // no notification comes after those in items
}

func newNotificationQueue() *notificationQueue {
	return &notificationQueue{wake: make(chan struct{}, 1)}
}

func (q *notificationQueue) update(f func()) {
	q.mu.Lock()
	f()
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *notificationQueue) add(n notification) { q.update(func() { q.items = append(q.items, n) }) }

func (q *notificationQueue) end() { q.update(func() { q.ended = true }) }

// fail says that the connection is gone, and whether that is the end of the notifications too.
func (q *notificationQueue) fail(err error, ended bool) {
	q.update(func() { q.err, q.failed, q.ended = err, true, q.ended || ended })
}

// take waits for notifications or for their end.
func (q *notificationQueue) take() (batch []notification, end bool, err error) {
	for {
		q.mu.Lock()
		batch, q.items = q.items, nil
		err, end = q.err, q.failed && q.ended
		q.mu.Unlock()
		if len(batch) > 0 || end {
			return batch, end, err
		}
		<-q.wake
	}
}
