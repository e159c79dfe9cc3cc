package fleet

import (
	"runtime"
	"sync"
)

// pool runs tasks on a fixed number of goroutines, whose stacks have grown to
// what a task needs after the first few.
type pool struct {
	tasks   chan func()
	workers sync.WaitGroup
	pending sync.WaitGroup // tasks handed over and not done
}

// queue is how many tasks may wait, so that a small one does not put its
// worker to sleep.
const queue = 64

func newPool(workers int) *pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &pool{tasks: make(chan func(), queue)}
	for range workers {
		p.workers.Go(func() {
			for task := range p.tasks {
				task()
				p.pending.Done()
			}
		})
	}
	return p
}

// do hands over a task, as soon as there is room in the queue.
func (p *pool) do(task func()) {
	p.pending.Add(1)
	p.tasks <- task
}

// share runs a task of a task: later if there is room in the queue, else at once.
func (p *pool) share(task func()) {
	p.pending.Add(1)
	select {
	case p.tasks <- task:
	default:
		task()
		p.pending.Done()
	}
}

// drain waits until all tasks are done.
func (p *pool) drain() { p.pending.Wait() }

// close ends the pool when all tasks are done.
func (p *pool) close() {
	p.drain()
	close(p.tasks)
	p.workers.Wait()
}
