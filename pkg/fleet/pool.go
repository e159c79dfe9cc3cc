package fleet

import (
	"runtime"
	"sync"
)

// pool runs tasks on goroutines whose stacks have grown to what a task needs
// after the first few. It starts with one of them.
type pool struct {
	tasks   chan func()
	workers sync.WaitGroup
	pending sync.WaitGroup // tasks handed over and not done

	mu      sync.Mutex
	want    func(vms int) int // Options.Workers
	vms     int               // handed over so far
	started int               // workers
}

// queue is how many tasks may wait, so that a small one does not put its
// worker to sleep.
const queue = 64

// newPool makes a pool of so many workers; of as many as want says where 0.
func newPool(jobs int, want func(vms int) int) *pool {
	switch {
	case jobs > 0:
		want = func(int) int { return jobs }
	case want == nil:
		want = func(int) int { return runtime.GOMAXPROCS(0) }
	}
	p := &pool{tasks: make(chan func(), queue), want: want}
	p.expect(1)
	return p
}

// expect adds up the work, and starts the workers that it wants.
func (p *pool) expect(vms int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.vms += vms
	for want := p.want(p.vms); p.started < want; p.started++ {
		p.workers.Go(func() {
			for task := range p.tasks {
				task()
				p.pending.Done()
			}
		})
	}
}

// do hands over a task with so many VMs, as soon as there is room in the queue.
func (p *pool) do(vms int, task func()) {
	p.expect(vms)
	p.pending.Add(1)
	p.tasks <- task
}

// share runs a task of a task: later if there is room in the queue, else at once.
func (p *pool) share(vms int, task func()) {
	p.expect(vms)
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
