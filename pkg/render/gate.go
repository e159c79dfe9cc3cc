package render

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// gates collects what the VMs of gated fleets become, by the position of their
// entry. The zero value is ready to use, and safe for concurrent use.
type gates struct {
	mu      sync.Mutex
	entries map[source.Pos]*becomes
}

// becomes is what the VMs of one entry become.
type becomes struct {
	gate   *machine.Gate
	digest string // of all specs; empty before all VMs are known

	mu    sync.Mutex
	specs map[string]string // digests, by the name of the VM
}

// unknown stands for the digest in texts that are written before it is known, and unsettled for its annotation. No text
// of a user's can be the same: quotes within values are escaped.
const (
	unknown   = "????????????????????????????????"
	unsettled = `"` + labels.Becomes + `":"` + unknown + `"`
)

// add adds the annotations of the gate to the VirtualMachine or VirtualMachinePool of a
// VM, and returns what its entry becomes, and the name of the object. It does nothing, and returns nil, for a
// VM without a gate. The annotations are in no hash of content: they change nothing
// that a VM is.
func (g *gates) add(m *machine.Machine, objects []runtime.Object) (entry *becomes, name string) {
	if m.Gate == nil {
		return nil, ""
	}
	meta := guarded(objects)
	meta.Annotations = merged(meta.Annotations, gateAnnotations(m.Gate))
	g.mu.Lock()
	defer g.mu.Unlock()
	entry = g.entries[m.Pos]
	if entry == nil {
		entry = &becomes{specs: map[string]string{}, gate: m.Gate}
		if g.entries == nil {
			g.entries = map[source.Pos]*becomes{}
		}
		g.entries[m.Pos] = entry
	}
	return entry, strings.Clone(meta.Name)
}

// guarded returns the metadata of the object that a gate guards.
func guarded(objects []runtime.Object) *metav1.ObjectMeta {
	for _, o := range objects {
		switch o := o.(type) {
		case *kubevirtv1.VirtualMachine:
			return &o.ObjectMeta
		case *poolv1.VirtualMachinePool:
			return &o.ObjectMeta
		}
	}
	return new(metav1.ObjectMeta) // never happens: every VM has one
}

// read reads the spec of a VM from the text of its objects, a line each, and those that act on VMs: their approval is
// that of the VM. The metadata before the spec has no map of that name: its labels and annotations are strings.
func (b *becomes) read(name string, text []byte, objects []runtime.Object) {
	if b == nil {
		return
	}
	acting := actingIn(text, objects)
	_, after, _ := bytes.Cut(text, []byte(unsettled))
	_, after, _ = bytes.Cut(after, []byte(`,"spec":{`))
	spec, _, _ := bytes.Cut(after, []byte{'\n'})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.specs[strings.Clone(name)] = b.gate.Digest(append([]string{string(spec)}, acting...)...)
}

// actingIn returns the texts of what acts on VMs in addition to their specs: objects, a restore, and times of power.
func actingIn(text []byte, objects []runtime.Object) []string {
	var out []string
	for _, o := range objects {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		w, ok := o.(*writtenObject)
		if !ok {
			continue
		}
		kind := w.GroupVersionKind()
		if row := kinds.Of(kind.Group, kind.Kind); row.Acts() || !row.Known() {
			out = append(out, string(line))
		}
	}
	// A restore changes nothing in the spec, and loses data; nor do times at which the VM is stopped or started.
	annotations := guarded(objects).Annotations
	if from := annotations[labels.Restore]; approval.ParseRestore(from).Token != "" {
		out = append(out, from)
	}
	if times := annotations[labels.Power]; times != "" {
		out = append(out, times)
	}
	return out
}

func gateAnnotations(g *machine.Gate) map[string]string {
	a := map[string]string{labels.Becomes: unknown}
	set(a, labels.ApproveFrom, g.ApproveFrom)
	set(a, labels.MaxImpact, g.MaxImpact)
	set(a, labels.Approved, approvedText(g, nil))
	if g.Stage {
		a[labels.Stage] = "true"
	}
	return a
}

// settle sets the digest of every entry, and warns of approvals of something else. All
// VMs must have been added.
func (g *gates) settle(diags *source.Diagnostics) {
	for _, entry := range g.entries {
		parts := make([]string, 0, len(entry.specs))
		for _, name := range slices.Sorted(maps.Keys(entry.specs)) {
			parts = append(parts, entry.specs[name])
		}
		entry.digest = entry.gate.Digest(parts...)
	}
	if diags.HasErrors() {
		return // VMs may be missing
	}
	for _, entry := range g.entries {
		for i := range entry.gate.Approvals {
			if a := &entry.gate.Approvals[i]; a.To() != entry.digest {
				diags.Warnf(a.Pos, rule.Approval, a.Path,
					"a used or stale approval for %q, but the VM becomes %q; remove it, or set the token that "+
						"`vmrender plan` prints", a.To(), entry.digest)
			}
		}
	}
}

// final returns the text of all objects. It must not be changed.
func (r *Rendered) final() []byte {
	if r.becomes == nil {
		return r.text
	}
	before, settled := unsettled, strings.ReplaceAll(unsettled, unknown, r.becomes.digest)
	if r.shared != nil { // the keys of annotations are sorted, and no other one is between
		before = approvedField(r.becomes.gate, nil) + before
		settled = approvedField(r.becomes.gate, r.shared) + settled
	}
	return bytes.Replace(r.text, []byte(before), []byte(settled), 1)
}

// asksForApproval reports whether the fleet requires approvals of changes, so that
// only `lifecycle.removal` can permit the deletion of the VM.
func (x *rendering) asksForApproval() bool {
	return x.Gate != nil && x.Gate.ApproveFrom != "" && x.Gate.ApproveFrom != values.NoGate
}
