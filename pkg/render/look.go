package render

import (
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/source"
)

// look has the last look at the objects of the VM: whatever its values say, they have what its lifecycle promises, or
// nothing is printed. content is the hash of the VM's content, or "".
func (x *rendering) look(objects []runtime.Object, content string) {
	x.room = rooms.Get().(*room)
	defer rooms.Put(x.room)
	part := x.partPromise(x.room.part[:0])
	services, written := 0, 0
	for _, o := range objects {
		switch o := o.(type) {
		case *kubevirtv1.VirtualMachine:
			x.lookAtMachine(&o.ObjectMeta, content)
			x.lookAtTemplates(&o.Spec, "spec")
		case *poolv1.VirtualMachinePool:
			x.lookAtPool(o, content)
		case *cdiv1.DataVolume:
			x.lookAtDisk(o)
		case *corev1.Service:
			x.lookAtService(o, &x.Services[services], &part)
			services++
		case *writtenObject:
			x.lookAtWritten(o, &x.Objects[written], &part)
			written++
		}
	}
}

// room is memory for the promises to objects of one VM, which are made one after the other.
type room struct {
	part, annotations, labels [lifecycle.MostPairs]outcome.Pair
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// partPromise returns the promise of Services and of what users write, in the memory of to.
func (x *rendering) partPromise(to []outcome.Pair) outcome.Promise {
	return outcome.Promise{Flux: x.Target.ByFlux(), Annotations: lifecycle.Dependent.Pairs(to, x.Wave, "", &x.Target)}
}

func (x *rendering) lookAtMachine(m *metav1.ObjectMeta, content string) {
	lc := &x.Lifecycle
	p := outcome.Promise{
		Scope: outcome.Machine, Flux: x.Target.ByFlux(), Wave: x.Wave, Pet: !lc.Cattle(),
		Replace:     lc.Strategy.Traits().AwaitsDeletion,
		Annotations: outcome.AppendPair(x.lifecyclePairs(x.room.annotations[:0]), labels.Content, content, ""),
		Labels:      x.labelPairs(x.room.labels[:0]),
		Instead:     "use `lifecycle.removal`, or `lifecycle: {protection: none}` if this is intended",
	}
	switch asks := x.asksForApproval(); {
	case asks:
		p.Options, p.Instead = x.vmOptions(), "use `lifecycle.removal` if this is intended"
	case !lc.Unprotected:
		p.Options = x.vmOptions()
	}
	for _, f := range p.Check(m) {
		x.reportMachine(&f, f.Keys)
	}
}

// lookAtTemplates checks the metadata of what KubeVirt creates for a VM. path is that of the VM's spec.
func (x *rendering) lookAtTemplates(spec *kubevirtv1.VirtualMachineSpec, path ...string) {
	p := outcome.Promise{Scope: outcome.Template, Labels: outcome.AppendPair(x.room.labels[:0], labels.Group, x.Entry, "")}
	if t := spec.Template; t != nil {
		for _, f := range p.Check(&t.ObjectMeta) {
			x.reportMachine(&f, slices.Concat(path, []string{"template"}, f.Keys))
		}
	}
	for i := range spec.DataVolumeTemplates {
		t := &spec.DataVolumeTemplates[i]
		x.lookAtOwnedDisk(&t.ObjectMeta, t.Name, x.disk(t.Name), path)
	}
	for i := range x.Disks {
		d := &x.Disks[i]
		has := func(t kubevirtv1.DataVolumeTemplateSpec) bool { return t.Name == d.Claim }
		if d.Kind == machine.DiskDataVolume && !d.Keep && !slices.ContainsFunc(spec.DataVolumeTemplates, has) {
			x.lookAtOwnedDisk(&metav1.ObjectMeta{}, d.Claim, d, path)
		}
	}
}

// lookAtOwnedDisk checks the template of a disk that the VM owns. d is nil for one that only the user's patches have.
func (x *rendering) lookAtOwnedDisk(m *metav1.ObjectMeta, name string, d *machine.Disk, path []string) {
	p := outcome.Promise{Scope: outcome.Template}
	if d != nil {
		p.Labels, p.Annotations = x.diskPairs(x.room.labels[:0], d), x.templateDiskPairs(x.room.annotations[:0], d)
	}
	for _, f := range p.Check(m) {
		x.reportTemplate(&f, d, slices.Concat(path, []string{"dataVolumeTemplates", name}, f.Keys))
	}
}

// lookAtPool checks a pool, and the metadata of its VMs.
func (x *rendering) lookAtPool(o *poolv1.VirtualMachinePool, content string) {
	x.lookAtMachine(&o.ObjectMeta, content)
	t := o.Spec.VirtualMachineTemplate
	x.lookAtTemplates(&t.Spec, "spec")
	p := outcome.Promise{
		Scope:       outcome.Template,
		Annotations: ofMembers(x.lifecyclePairs(x.room.annotations[:0])),
		Labels:      outcome.AppendPair(x.labelPairs(x.room.labels[:0]), labels.Pool, x.Name, ""),
	}
	for _, f := range p.Check(&t.ObjectMeta) {
		x.reportMachine(&f, f.Keys)
	}
}

// ofMembers returns the annotations that a pool's VMs have of those of the pool.
func ofMembers(pairs []outcome.Pair) []outcome.Pair {
	return slices.DeleteFunc(pairs, func(p outcome.Pair) bool { return !isOfMember(p.Key) })
}

// disk returns the disk with a DataVolume of a name, or nil if there is none.
func (x *rendering) disk(claim string) *machine.Disk {
	for i := range x.Disks {
		if d := &x.Disks[i]; d.Kind == machine.DiskDataVolume && d.Claim == claim {
			return d
		}
	}
	return nil
}

func (x *rendering) lookAtDisk(o *cdiv1.DataVolume) {
	kept := lifecycle.KeptDisk
	p := outcome.Promise{
		Flux:        x.Target.ByFlux(),
		Annotations: kept.Pairs(x.room.annotations[:0], x.Wave, kept.OptionsFor(x.Target), &x.Target),
	}
	for _, f := range p.Check(&o.ObjectMeta) {
		x.reportTemplate(&f, x.disk(o.Name), f.Keys)
	}
}

func (x *rendering) lookAtService(o *corev1.Service, s *machine.Service, p *outcome.Promise) {
	for _, f := range slices.Concat(p.Check(&o.ObjectMeta), outcome.Service(&o.Spec)) {
		patch := servicePatch(s)
		if isEntry := len(f.Keys) == 3; isEntry && setBy(patch.over, f.Keys) == nil {
			field, key := f.Keys[1], f.Keys[2]
			path := source.JoinPath(x.path("services."+s.Key+"."+field), key)
			x.diags.Errorf(x.ServicePos(s.Key, field, key), f.Rule, path, "%s", f.Problem)
			continue
		}
		patch.report(x, f.Rule, f.Keys, f.Problem, x.diags)
	}
}

// lookAtWritten checks an object that the user writes.
func (x *rendering) lookAtWritten(o *writtenObject, from *machine.Object, p *outcome.Promise) {
	meta := o.tree.Get("metadata")
	m := metav1.ObjectMeta{
		Labels: textsOf(meta.Get("labels")), Annotations: textsOf(meta.Get("annotations")),
		Finalizers:      make([]string, length(meta.Get("finalizers"))),
		OwnerReferences: make([]metav1.OwnerReference, length(meta.Get("ownerReferences"))),
	}
	found := p.Check(&m)
	if o.Kind == "Secret" {
		found = append(found, outcome.Secret(o.tree.Get("type").Str())...)
	}
	at := partPatch{over: from.Manifest, key: "objects." + from.Key}
	for _, f := range found {
		at.report(x, f.Rule, f.Keys, f.Problem, x.diags)
	}
}

// length returns the number of items of a list, and 1 for anything else that is set.
func length(n *source.Node) int {
	switch {
	case !n.IsSet():
		return 0
	case n.Kind != source.List:
		return 1
	}
	return len(n.Items)
}

// textsOf returns a map of texts; values of other types are empty.
func textsOf(n *source.Node) map[string]string {
	m := make(map[string]string, len(n.Entries()))
	for _, f := range n.Entries() {
		m[f.Key] = f.Value.Text
	}
	return m
}

// reportTemplate reports a finding on the DataVolume of a disk, at the user's patch on it if there is one. path is that
// of what is wrong in the VirtualMachine.
func (x *rendering) reportTemplate(f *outcome.Finding, d *machine.Disk, path []string) {
	if d == nil || !d.DataVolume.IsSet() {
		x.reportMachine(f, path)
		return
	}
	p := partPatch{over: d.DataVolume, key: "disks." + d.Name + ".dataVolume"}
	p.report(x, f.Rule, f.Keys, f.Problem, x.diags)
}

// reportMachine reports a finding on the VM at its cause: the annotation, the patch or the overrides that set the value
// at a path, or else the VM.
func (x *rendering) reportMachine(f *outcome.Finding, path []string) {
	at, key, ok := x.causeOf(path)
	if name := path[len(path)-1]; !ok && len(path) == 3 && path[1] == "annotations" {
		if _, ok := x.Annotations[name]; ok {
			x.diags.Errorf(x.AnnotationPos(name), f.Rule, source.JoinPath(x.path("annotations"), name), "%s", f.Problem)
			return
		}
	}
	full := ""
	for _, p := range path {
		full = source.JoinPath(full, p)
	}
	x.diags.Errorf(at, f.Rule, key, "%s: %s", full, f.Problem)
}

// causeOf returns the position and the key of the last patch or, without one, of the overrides that change the value at
// a path, or what it is in. Without any, it returns those of the VM.
func (x *rendering) causeOf(path []string) (at source.Pos, key string, ok bool) {
	for i, op := range slices.Backward(x.Patches) {
		if touches(op.Path, path) || op.From != "" && touches(op.From, path) {
			return op.Pos, x.patchPath(i), true
		}
	}
	for _, over := range slices.Backward(x.Overrides) {
		if n := setBy(over, path); n != nil {
			return n.Pos(), x.path("overrides"), true
		}
	}
	return x.Pos, x.Path, false
}

// setBy returns what a merge patch sets at a path, or in place of what it is in, or nil.
func setBy(over *source.Node, path []string) *source.Node {
	n := over
	for _, key := range path {
		if n == nil || n.Kind != source.Map {
			break
		}
		n = n.Get(key)
	}
	return n
}

// touches reports whether a JSON pointer is to the value at a path, to a part of it, or to what it is in.
func touches(pointer string, path []string) bool {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range min(len(tokens), len(path)) {
		token := strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[i])
		if token != path[i] {
			return false
		}
	}
	return true
}
