package fleet

import (
	"runtime"
	"sync"
)

// pool runs tasks on long-lived goroutines, whose stacks have grown to the
// size that tasks need after the first few. It starts with one goroutine.
type pool struct {
	tasks   chan func()
	workers sync.WaitGroup
	pending sync.WaitGroup // tasks that are queued or running

	mu      sync.Mutex
	want    func(vms int) int // Options.Workers
	rest    func()            // Options.Rest
	vms     int               // queued so far
	started int               // workers
}

// queue is the number of tasks that can wait, so that a worker does not sleep
// after a small one.
const queue = 64

// newPool returns a pool with the given number of workers, or with as many as
// want returns if jobs is 0.
func newPool(jobs int, want func(vms int) int, rest func()) *pool {
	switch {
	case jobs > 0:
		want = func(int) int { return jobs }
	case want == nil:
		want = func(int) int { return runtime.GOMAXPROCS(0) }
	}
	p := &pool{tasks: make(chan func(), queue), want: want, rest: rest}
	p.expect(1)
	return p
}

// expect adds to the number of VMs, and starts as many workers as they
// require.
func (p *pool) expect(vms int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.vms += vms
	for want := p.want(p.vms); p.started < want; p.started++ {
		p.workers.Go(func() {
			for task := range p.tasks {
				p.run(task)
			}
		})
	}
}

// do queues a task for the given number of VMs, as soon as there is room in
// the queue.
func (p *pool) do(vms int, task func()) {
	p.expect(vms)
	p.pending.Add(1)
	p.tasks <- task
}

// share queues a task of a running task if there is room in the queue, and
// runs it immediately otherwise.
func (p *pool) share(vms int, task func()) {
	p.expect(vms)
	p.pending.Add(1)
	select {
	case p.tasks <- task:
	default:
		p.run(task)
	}
}

func (p *pool) run(task func()) {
	task()
	if p.rest != nil {
		p.rest()
	}
	p.pending.Done()
}

// drain waits until all tasks are done.
func (p *pool) drain() { p.pending.Wait() }

// close waits until all tasks are done, and ends the workers.
func (p *pool) close() {
	p.drain()
	close(p.tasks)
	p.workers.Wait()
}
