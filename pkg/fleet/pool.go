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
}

func newPool(workers int) *pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &pool{tasks: make(chan func())}
	for range workers {
		p.workers.Go(func() {
			for task := range p.tasks {
				task()
			}
		})
	}
	return p
}

// do hands over a task, as soon as a worker is free.
func (p *pool) do(task func()) { p.tasks <- task }

// share runs a task of a task: on another worker if one is free, else at once.
func (p *pool) share(task func()) {
	select {
	case p.tasks <- task:
	default:
		task()
	}
}

// wait ends the pool when all tasks are done.
func (p *pool) wait() {
	close(p.tasks)
	p.workers.Wait()
}
