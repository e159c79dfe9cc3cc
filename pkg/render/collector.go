package render

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/forklift"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Collector renders the VMs of a fleet as they are resolved, and keeps their
// objects as text until the whole fleet is found to be valid: from half a fleet
// on stdout, Argo CD would prune the other half.
type Collector struct {
	// APIs that the cluster serves; empty if unknown.
	APIs APIs
	// Most is the maximum size of the output in bytes, as compact JSON; 0 if it is not limited. See [Collector.Full].
	Most int64

	renderer renderer
	encoding sync.Pool    // *[]byte
	size     atomic.Int64 // bytes of all texts
	jobs     jobs
	gates    gates
	plans    forklift.Plans

	mu       sync.Mutex
	rendered []Rendered
	names    identities
	needs    needs // empty without APIs
	kinds    map[argocd.GroupKind]bool
	holdings map[int]*holding // by index in rendered
}

// Rendered is one VM's objects, or those of a Job or a Plan for the VMs of a namespace.
type Rendered struct {
	Namespace, Name string // of the VM, of the Job, or of the Plan: plan.NAME, which no VM has
	Jobs            bool   // whether it is a Job or a Plan rather than a VM
	Pending         bool   // whether it is a VM that is still in vSphere, without objects of its own

	pos     source.Pos // of the VM
	path    string
	wave    int
	text    []byte   // compact JSON, one object per line
	becomes *becomes // nil without a gate
	guarded string   // name of the object with the gate's annotations; empty without a gate
	shared  byRisk   // approvals of the fleet's tokens, by risk; nil if there are none
}

// Contents returns the file of the VM, empty for a Job or a Plan, the number of objects, and their size in bytes as
// compact JSON.
func (r *Rendered) Contents() (file string, objects, size int) {
	return r.pos.File, bytes.Count(r.text, []byte{'\n'}), len(r.text)
}

// NewCollector returns an empty Collector.
func NewCollector() *Collector {
	return &Collector{
		needs:    needs{},
		kinds:    map[argocd.GroupKind]bool{},
		holdings: map[int]*holding{},
		encoding: sync.Pool{New: func() any { return new([]byte) }},
	}
}

// Visit renders one VM, or checks as much as possible of a broken one. It is
// an [inventory.Visitor].
func (c *Collector) Visit(m *machine.Machine, diags *source.Diagnostics) {
	if m.Broken {
		c.renderer.check(m, diags)
		return
	}
	if c.Full() {
		return
	}
	objects, content, spec := c.renderer.render(m, diags)
	if m.Migration != nil && !m.Migration.Ended() && !m.Sibling {
		c.plans.Add(m)
	}
	if m.Migration.Pending() {
		c.pending(m, objects)
		return
	}
	becomes, guarded := c.gates.add(m, objects)
	text, err := c.encode(objects, spec)
	defer c.encoding.Put(text)
	if err != nil {
		diags.Errorf(m.Pos, rule.Encode, m.Path, "the objects cannot be written: %s", err)
		return
	}
	becomes.read(m.Name, *text, objects)
	if m.Sibling {
		return
	}
	kept := c.keep(*text)
	// Whether a VM is held, or its restore is approved, is known when all VMs of its entry are.
	isOpen := m.Gate != nil && (m.Gate.Held != nil || m.Lifecycle.Restores())
	if !isOpen {
		c.jobs.add(m, objects, content)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if isOpen {
		c.holdings[len(c.rendered)] = &holding{m, objects, content}
	} else {
		c.note(len(c.rendered), m, objects)
	}
	c.rendered = append(c.rendered, Rendered{
		Namespace: c.namespace(m), Name: strings.Clone(m.Name), wave: m.Wave, text: kept,
		becomes: becomes, guarded: guarded, pos: m.Pos, path: strings.Clone(m.Path),
	})
}

// note adds what is rendered of a VM, the given one of all, to the checks. c.mu must be locked.
func (c *Collector) note(index int, m *machine.Machine, objects []runtime.Object) {
	c.noteNeeds(m, objects)
	c.noteKinds(objects)
	c.names.add(index, objects)
}

// namespace returns the namespace of a VM. That of the VM before, which is mostly the same, saves a copy.
func (c *Collector) namespace(m *machine.Machine) string {
	if n := len(c.rendered); n > 0 && c.rendered[n-1].Namespace == m.Namespace {
		return c.rendered[n-1].Namespace
	}
	return strings.Clone(m.Namespace)
}

// pending notes a VM that is still in vSphere, and the kinds that it will be.
func (c *Collector) pending(m *machine.Machine, objects []runtime.Object) {
	if m.Sibling {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteNeeds(m, nil)
	c.noteKinds(objects)
	c.rendered = append(c.rendered, Rendered{
		Namespace: c.namespace(m), Name: strings.Clone(m.Name), Pending: true, wave: m.Wave,
	})
}

// encode returns the text of objects, a line each, in a buffer of c.encoding. spec is the JSON of the spec of the VM
// among them, or nil.
func (c *Collector) encode(objects []runtime.Object, spec []byte) (buf *[]byte, err error) {
	buf = c.encoding.Get().(*[]byte)
	text := (*buf)[:0]
	for _, o := range objects {
		vm, isVM := o.(*kubevirtv1.VirtualMachine)
		if isVM && spec != nil {
			text, err = encodeVM(text, vm, spec)
		} else {
			text, err = manifest.Encode(text, o)
		}
		if err != nil {
			return buf, err
		}
		text = append(text, '\n')
	}
	*buf = text
	return buf, nil
}

// encodeVM appends the JSON of a VM to a text, with that of its spec, which costs half as much again.
func encodeVM(text []byte, vm *kubevirtv1.VirtualMachine, spec []byte) ([]byte, error) {
	text, err := manifest.Encode(text, &struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}{vm.TypeMeta, vm.ObjectMeta})
	if err != nil {
		return text, err
	}
	text = append(text[:len(text)-1], `,"spec":`...)
	return append(append(text, spec...), '}'), nil
}

// keep returns a copy of a text.
func (c *Collector) keep(text []byte) []byte {
	if c.size.Add(int64(len(text))); c.Full() {
		return nil // it is never written
	}
	return bytes.Clone(text)
}

// Full reports whether the output is larger than [Collector.Most]. Further VMs are not rendered, and what was
// rendered must not be used. Package fleet can stop reading on it.
func (c *Collector) Full() bool { return c.Most > 0 && c.size.Load() > c.Most }

// CheckSize reports an error if the collector is full.
func (c *Collector) CheckSize(diags *source.Diagnostics) {
	if c.Full() {
		diags.Errorf(source.Pos{}, rule.OutputSize, "",
			"the manifests have more than %d MiB, the most that Argo CD accepts; "+
				"divide the fleet among several Applications", c.Most>>20)
	}
}

func (c *Collector) noteKinds(objects []runtime.Object) {
	for _, o := range objects {
		kind := o.GetObjectKind().GroupVersionKind()
		c.kinds[argocd.GroupKind{Group: kind.Group, Kind: kind.Kind}] = true
	}
}

// Kinds returns the kinds of all objects so far, by group and kind; those of Jobs are included after
// [Collector.Rendered]. It must not be called while VMs are visited.
func (c *Collector) Kinds() []argocd.GroupKind {
	return slices.SortedFunc(maps.Keys(c.kinds), argocd.GroupKind.Compare)
}

// noteNeeds records the kinds that a VM and its objects need, unless the
// cluster's APIs are unknown. c.mu must be locked.
func (c *Collector) noteNeeds(m *machine.Machine, objects []runtime.Object) {
	if c.APIs == "" {
		return
	}
	c.needs.addMachine(m, objects)
}

// CheckAPIs reports each kind that the VMs so far need and the cluster does
// not serve, once, at the first such VM. It must not be called while
// VMs are visited.
func (c *Collector) CheckAPIs(diags *source.Diagnostics) { c.needs.reportUnserved(c.APIs, diags) }

// Rendered returns all VMs so far, by wave, namespace and name, and then the
// Jobs and Plans that they need, by namespace and name. It must not be called while
// VMs are visited.
func (c *Collector) Rendered(diags *source.Diagnostics) []Rendered {
	c.gates.settle(diags)
	c.gates.share(c.rendered, diags)
	c.settleHeld(diags)
	all := append(slices.Clip(c.rendered), c.renderedJobs(diags)...)
	all = append(all, c.renderedPlans(len(all), diags)...)
	if !c.Full() {
		c.names.report(all, diags)
	}
	slices.SortFunc(all, func(a, b Rendered) int {
		return cmp.Or(
			compareBool(a.Jobs, b.Jobs), cmp.Compare(a.wave, b.wave),
			strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
		)
	})
	return all
}

func (c *Collector) renderedJobs(diags *source.Diagnostics) []Rendered {
	jobs := c.jobs.objects()
	out := make([]Rendered, 0, len(jobs))
	for key, objects := range jobs {
		c.names.add(len(c.rendered)+len(out), objects)
		out = append(out, c.shared("Job", key.namespace, key.name(), objects, diags))
	}
	return out
}

func (c *Collector) renderedPlans(after int, diags *source.Diagnostics) []Rendered {
	plans := c.plans.Objects()
	out := make([]Rendered, 0, len(plans))
	for key, objects := range plans {
		c.names.add(after+len(out), objects)
		out = append(out, c.shared("Plan", key.Namespace, "plan."+key.Name, objects, diags))
	}
	return out
}

// shared keeps the objects of a Job or Plan for the VMs of a namespace.
func (c *Collector) shared(what, namespace, name string, objects []runtime.Object, diags *source.Diagnostics) Rendered {
	c.noteKinds(objects)
	text, err := c.encode(objects, nil)
	defer c.encoding.Put(text)
	if err != nil {
		diags.Errorf(source.Pos{}, rule.Encode, "", "the %s %s/%s cannot be written: %s", what, namespace, name, err)
		*text = nil
	}
	return Rendered{Namespace: namespace, Name: name, Jobs: true, text: c.keep(*text)}
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Write writes the objects of VMs and Jobs in the order given.
func Write(w *manifest.Writer, rendered ...Rendered) error {
	for i := range rendered {
		for line := range bytes.Lines(rendered[i].final()) {
			if err := w.Write(line[:len(line)-1]); err != nil {
				return fmt.Errorf("writing manifests: %w", err)
			}
		}
	}
	return nil
}
