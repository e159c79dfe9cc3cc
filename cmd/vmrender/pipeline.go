package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// batchSize is how many machines a worker renders before it hands them over:
// about 200 KiB of manifests, so that handing over costs nothing beside them.
const batchSize = 64

// pipeline renders machines with several workers, in order, holding at most
// two batches per worker in memory.
type pipeline struct {
	workers  int
	renderer *render.Renderer
}

// newPipeline returns a pipeline with the given number of workers; the number
// of CPUs where it is 0.
func newPipeline(jobs uint) *pipeline {
	workers := int(jobs)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &pipeline{workers: workers, renderer: render.New()}
}

// consumer takes the objects of one machine as compact JSON. It must not keep them.
type consumer func(m *fleet.Machine, objects [][]byte) error

// check renders machines and throws the objects away.
func (p *pipeline) check(ctx context.Context, machines []*fleet.Machine) (*source.Diagnostics, error) {
	all := new(source.Diagnostics)
	err := p.batches(ctx, machines, func(b *batch) error {
		all.Merge(&b.diags)
		return b.err
	})
	return all, err
}

// each renders machines and hands them to consume in their order. It stops at
// the first batch with an error, of which nothing is handed over.
func (p *pipeline) each(ctx context.Context, machines []*fleet.Machine, consume consumer) (*source.Diagnostics, error) {
	all := new(source.Diagnostics)
	err := p.batches(ctx, machines, func(b *batch) error {
		all.Merge(&b.diags)
		switch {
		case b.err != nil:
			return b.err
		case b.diags.HasErrors():
			return errReported
		}
		return b.each(consume)
	})
	return all, err
}

// batches renders machines in batches and hands these over in order. Worker k
// of n renders batches k, k+n, k+2n, …: the order needs no bookkeeping, and a
// worker that is ahead waits.
func (p *pipeline) batches(ctx context.Context, machines []*fleet.Machine, take func(*batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	count := (len(machines) + batchSize - 1) / batchSize
	workers := make([]chan *batch, min(p.workers, count))
	for k := range workers {
		workers[k] = make(chan *batch)
		go p.work(ctx, machines, k, len(workers), workers[k])
	}
	for i := range count {
		if ctx.Err() != nil {
			break
		}
		select {
		case b := <-workers[i%len(workers)]:
			if err := take(b); err != nil {
				return err
			}
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// work renders every step-th batch from the first on. It uses two batches in
// turn: when the second is taken, whoever takes them is done with the first.
func (p *pipeline) work(ctx context.Context, machines []*fleet.Machine, first, step int, out chan<- *batch) {
	var turns [2]batch
	for i, n := first, 0; i*batchSize < len(machines); i, n = i+step, n+1 {
		b := &turns[n%2]
		b.render(p.renderer, machines[i*batchSize:min((i+1)*batchSize, len(machines))])
		select {
		case out <- b:
		case <-ctx.Done():
			return
		}
	}
}

// batch is some machines with their objects.
type batch struct {
	machines []*fleet.Machine
	json     []byte // the objects, one after the other
	ends     []int  // where each object ends in json
	counts   []int  // how many objects each machine has
	diags    source.Diagnostics
	err      error // an object that cannot be encoded
}

// render fills the batch, whose buffers it reuses.
func (b *batch) render(r *render.Renderer, machines []*fleet.Machine) {
	*b = batch{machines: machines, json: b.json[:0], ends: b.ends[:0], counts: b.counts[:0]}
	for _, m := range machines {
		objects := r.Objects(m, &b.diags)
		b.counts = append(b.counts, len(objects))
		for _, o := range objects {
			var err error
			if b.json, err = manifest.Encode(b.json, o); err != nil {
				b.err = fmt.Errorf("%s: %s: %w", m.Pos, m.Path, err)
				return
			}
			b.ends = append(b.ends, len(b.json))
		}
	}
}

// each hands the machines' objects over.
func (b *batch) each(consume consumer) error {
	var objects [][]byte
	start, next := 0, 0
	for i, m := range b.machines {
		objects = objects[:0]
		for range b.counts[i] {
			end := b.ends[next]
			objects = append(objects, b.json[start:end])
			start, next = end, next+1
		}
		if err := consume(m, objects); err != nil {
			return err
		}
	}
	return nil
}
