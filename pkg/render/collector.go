package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// plainMost is how many machines are kept as plain text. The texts of more than
// that are packed with one of them as the dictionary: machines of a fleet are
// so alike that a tenth remains.
const plainMost = 512

// Collector renders the machines of a fleet as they are decided, and keeps
// their objects as text until it is known that the whole fleet is right: half a
// fleet on stdout would let Argo CD prune the other half.
type Collector struct {
	// APIs are what the cluster serves; empty where that is not known.
	APIs APIs

	renderer *Renderer
	scratch  sync.Pool // *scratch
	jobs     jobs

	mu       sync.Mutex
	rendered []Rendered
	dict     *s2.Dict // nil for a small fleet
	needs    needs    // empty without APIs
}

// Rendered is one machine's objects, or those of a Job for the machines of a namespace.
type Rendered struct {
	Namespace, Name string // of the machine, or of the Job
	Jobs            bool   // it is no machine

	wave    int
	objects []runtime.Object // of a Job
	text    []byte           // compact JSON, an object a line
	dict    *s2.Dict         // that the text is packed with; nil for plain text
}

type scratch struct{ plain, packed []byte }

// NewCollector returns a Collector that has rendered nothing yet.
func NewCollector() *Collector {
	return &Collector{renderer: New(), needs: needs{}, scratch: sync.Pool{New: func() any { return new(scratch) }}}
}

// Visit renders one machine, or checks what can be checked of a broken one; it
// is a [machine.Visitor].
func (c *Collector) Visit(m *machine.Machine, diags *source.Diagnostics) {
	if m.Broken {
		c.renderer.Check(m, diags)
		return
	}
	s := c.scratch.Get().(*scratch)
	defer c.scratch.Put(s)
	s.plain = s.plain[:0]
	objects, content := c.renderer.render(m, diags)
	c.need(m, objects)
	for _, o := range objects {
		var err error
		if s.plain, err = manifest.Encode(s.plain, o); err != nil {
			diags.Errorf(m.Pos, "encode", m.Path, "the objects cannot be written: %s", err)
			return
		}
		s.plain = append(s.plain, '\n')
	}
	c.jobs.add(m, content)
	c.keep(s, Rendered{Namespace: strings.Clone(m.Namespace), Name: strings.Clone(m.Name), wave: m.Wave})
}

// need notes what a machine's objects need of the cluster.
func (c *Collector) need(m *machine.Machine, objects []runtime.Object) {
	if c.APIs == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.needs.addMachine(m, objects)
}

// CheckAPIs reports what the machines so far need and the cluster does not serve,
// once each, at the first of them. It must not be called while machines are visited.
func (c *Collector) CheckAPIs(diags *source.Diagnostics) { c.needs.unserved(c.APIs, diags) }

func (c *Collector) keep(s *scratch, r Rendered) {
	if r.dict = c.dictionary(s.plain); r.dict == nil {
		r.text = bytes.Clone(s.plain)
	} else {
		s.packed = slices.Grow(s.packed[:0], s2.MaxEncodedLen(len(s.plain)))
		s.packed = r.dict.Encode(s.packed[:cap(s.packed)], s.plain)
		r.text = bytes.Clone(s.packed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rendered = append(c.rendered, r)
}

// dictionary gives what the text is to be packed with, or nil for a small fleet.
func (c *Collector) dictionary(text []byte) *s2.Dict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dict == nil && len(c.rendered) >= plainMost {
		c.dict = s2.MakeDict(bytes.Clone(text), nil)
	}
	return c.dict
}

// Rendered are all machines so far, by wave, namespace and name, and then the
// Jobs that they need, by namespace and name. It must not be called while
// machines are visited.
func (c *Collector) Rendered() []Rendered {
	all := append(slices.Clip(c.rendered), c.jobs.rendered()...)
	slices.SortFunc(all, func(a, b Rendered) int {
		return cmp.Or(order(a.Jobs, b.Jobs), cmp.Compare(a.wave, b.wave), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return all
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Write writes the objects in their order. buf, which may be nil, is
// memory to use; Write returns it for the next machine.
func (r *Rendered) Write(w *manifest.Writer, buf []byte) ([]byte, error) {
	for _, o := range r.objects {
		if err := w.Encode(o); err != nil {
			return buf, fmt.Errorf("writing %s/%s: %w", r.Namespace, r.Name, err)
		}
	}
	text := r.text
	if r.dict != nil {
		var err error
		if buf, err = r.dict.Decode(buf[:cap(buf)], r.text); err != nil {
			return buf, fmt.Errorf("writing %s/%s: %w", r.Namespace, r.Name, err)
		}
		text = buf
	}
	for line := range bytes.Lines(text) {
		if err := w.Write(line[:len(line)-1]); err != nil {
			return buf, fmt.Errorf("writing manifests: %w", err)
		}
	}
	return buf, nil
}
