package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/vmrender/vmrender/pkg/fleet"
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
	renderer *Renderer
	scratch  sync.Pool // *scratch

	mu       sync.Mutex
	rendered []Rendered
	dict     *s2.Dict // nil for a small fleet
}

// Rendered is one machine's objects.
type Rendered struct {
	Namespace, Name string
	wave            int
	text            []byte   // compact JSON, an object a line
	dict            *s2.Dict // that the text is packed with; nil for plain text
}

type scratch struct{ plain, packed []byte }

// NewCollector returns a Collector that has rendered nothing yet.
func NewCollector() *Collector {
	return &Collector{renderer: New(), scratch: sync.Pool{New: func() any { return new(scratch) }}}
}

// Visit renders one machine, or checks what can be checked of a broken one; it
// is a [fleet.Visitor].
func (c *Collector) Visit(m *fleet.Machine, diags *source.Diagnostics) {
	if m.Broken {
		c.renderer.Check(m, diags)
		return
	}
	s := c.scratch.Get().(*scratch)
	defer c.scratch.Put(s)
	s.plain = s.plain[:0]
	for _, o := range c.renderer.Objects(m, diags) {
		var err error
		if s.plain, err = manifest.Encode(s.plain, o); err != nil {
			diags.Errorf(m.Pos, "encode", m.Path, "the objects cannot be written: %s", err)
			return
		}
		s.plain = append(s.plain, '\n')
	}
	c.keep(s, Rendered{Namespace: strings.Clone(m.Namespace), Name: strings.Clone(m.Name), wave: m.Wave})
}

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

// Rendered are all machines so far, by wave, namespace and name. It must not be
// called while machines are visited.
func (c *Collector) Rendered() []Rendered {
	slices.SortFunc(c.rendered, func(a, b Rendered) int {
		return cmp.Or(cmp.Compare(a.wave, b.wave), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return c.rendered
}

// Write writes the machine's objects in their order. buf, which may be nil, is
// memory to use; Write returns it for the next machine.
func (r *Rendered) Write(w *manifest.Writer, buf []byte) ([]byte, error) {
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
