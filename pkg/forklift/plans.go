// Package forklift renders the objects by which the Migration Toolkit for Virtualization, whose project is forklift,
// moves VMs from vSphere: a Plan for the VMs of a namespace that move together, the maps and Hooks that it refers to,
// and its runs.
package forklift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// PlanKind is the kind of [Plan], which a VM that comes from vSphere needs.
var PlanKind = schema.GroupVersionKind{Group: Group, Version: "v1beta1", Kind: "Plan"}

// Key identifies a Plan: the VMs of a namespace that move together.
type Key struct{ Namespace, Name string }

// plan collects the VMs of a Plan while they are resolved.
type plan struct {
	target values.Target
	vms    []movingVM
}

// movingVM is a VM of a Plan.
type movingVM struct {
	name string
	nics []string // names, in the order of vSphere
	*machine.Migration
}

// Plans collects the Plans of the VMs so far. The zero value is ready to use, and safe for concurrent use.
type Plans struct {
	mu    sync.Mutex
	byKey map[Key]*plan
}

// Add adds a VM that comes from vSphere to its Plan. It keeps the VM's Migration, which must not be nil.
func (p *Plans) Add(m *machine.Machine) {
	vm := movingVM{name: m.Name, Migration: m.Migration}
	for i := range m.NICs {
		vm.nics = append(vm.nics, m.NICs[i].Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := Key{m.Namespace, m.Migration.Plan}
	of := p.byKey[key]
	if of == nil {
		if p.byKey == nil {
			p.byKey = map[Key]*plan{}
		}
		of = &plan{target: m.Target}
		p.byKey[key] = of
	}
	of.vms = append(of.vms, vm)
}

// Objects returns the objects of each Plan, in the order in which they are written. It must not be called while VMs are
// added.
func (p *Plans) Objects() map[Key][]runtime.Object {
	out := make(map[Key][]runtime.Object, len(p.byKey))
	for key, of := range p.byKey {
		slices.SortFunc(of.vms, func(a, b movingVM) int { return strings.Compare(a.name, b.name) })
		out[key] = key.objects(of)
	}
	return out
}

// objects returns the maps, the Hooks, the Plan, and a Migration for each run. All VMs have the same values for the
// fields of the Plan as a whole.
func (k *Key) objects(of *plan) []runtime.Object {
	first, parts := of.vms[0].Migration, of.parts()
	meta := k.meta(k.Name, parts.plan, of.target)
	between := ProviderPair{Source: reference(first.Provider), Destination: reference(first.Destination)}
	own := corev1.ObjectReference{Namespace: k.Namespace, Name: k.Name}
	spec := PlanSpec{
		TargetNamespace: k.Namespace, Provider: between, Map: PlanMaps{Network: own, Storage: own},
		Warm: first.Warm, PreserveStaticIPs: first.PreserveStaticIPs, DeleteVMOnFailMigration: !of.has(moved),
	}
	if first.TransferNetwork != nil {
		spec.TransferNetwork = new(reference(*first.TransferNetwork))
	}
	for i := range of.vms {
		spec.VMs = append(spec.VMs, of.vms[i].planned(k))
	}
	return slices.Concat([]runtime.Object{
		&NetworkMap{
			TypeMeta: typeMeta("NetworkMap"), ObjectMeta: meta,
			Spec: MapSpec[NetworkPair]{Provider: between, Map: of.networks()},
		},
		&StorageMap{
			TypeMeta: typeMeta("StorageMap"), ObjectMeta: meta,
			Spec: MapSpec[StoragePair]{Provider: between, Map: of.storage()},
		},
	}, k.hooks(of, parts.plan), []runtime.Object{
		&Plan{TypeMeta: typeMeta("Plan"), ObjectMeta: meta, Spec: spec},
	}, k.runs(of, parts.run, own))
}

// runs returns a Migration for each run so far: a finished one does nothing. What is cancelled leaves the last.
func (k *Key) runs(of *plan, part lifecycle.Part, plan corev1.ObjectReference) []runtime.Object {
	first := of.vms[0].Migration
	out := make([]runtime.Object, 0, first.Run)
	for n := range first.Run {
		run := &PlanRun{
			TypeMeta:   typeMeta("Migration"),
			ObjectMeta: k.meta(k.Name+"-"+strconv.Itoa(n+1), part, of.target),
			Spec:       PlanRunSpec{Plan: plan, Cutover: first.Cutover},
		}
		if n == first.Run-1 {
			run.Spec.Cancel = of.cancelled()
		}
		out = append(out, run)
	}
	return out
}

func (k *Key) meta(name string, p lifecycle.Part, target values.Target) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: k.Namespace,
		Labels:      map[string]string{labels.App: k.Name, labels.ManagedBy: labels.Manager},
		Annotations: p.Annotations(0, target),
	}
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: Group + "/v1beta1", Kind: kind}
}

func reference(to machine.NamespacedName) corev1.ObjectReference {
	return corev1.ObjectReference{Namespace: to.Namespace, Name: to.Name}
}

func moved(vm movingVM) bool { return vm.Done }

func (p *plan) has(is func(movingVM) bool) bool { return slices.ContainsFunc(p.vms, is) }

// planParts are what the objects of a Plan are for Argo CD.
type planParts struct{ plan, run lifecycle.Part }

// parts returns the parts of the Plan, which stays while a VM is still to move.
func (p *plan) parts() planParts {
	if p.has(func(vm movingVM) bool { return !vm.Done }) {
		return planParts{lifecycle.MigrationPlan, lifecycle.MigrationRun}
	}
	return planParts{lifecycle.FinishedPlan, lifecycle.FinishedRun}
}

// networks returns the mappings for the NICs of all VMs, once each.
func (p *plan) networks() []NetworkPair {
	out := []NetworkPair{}
	for i := range p.vms {
		for _, n := range p.vms[i].Networks {
			pair := NetworkPair{VSphereRef(n.Source), NetworkDestination{Type: "pod"}}
			if n.NAD != nil {
				pair.Destination = NetworkDestination{"multus", n.NAD.Namespace, n.NAD.Name}
			}
			out = append(out, pair)
		}
	}
	return distinct(out)
}

// storage returns the mappings for the disks of all VMs, once each.
func (p *plan) storage() []StoragePair {
	out := []StoragePair{}
	for i := range p.vms {
		for _, s := range p.vms[i].Storage {
			out = append(out, StoragePair{VSphereRef(s.Source), StorageDestination{s.Class, s.AccessMode, s.VolumeMode}})
		}
	}
	return distinct(out)
}

// distinct returns the items, sorted and once each.
func distinct[T comparable](items []T) []T {
	slices.SortFunc(items, func(a, b T) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return slices.Compact(items)
}

func (p *plan) cancelled() []VSphereRef {
	var out []VSphereRef
	for i := range p.vms {
		if p.vms[i].Cancel {
			out = append(out, VSphereRef(p.vms[i].VM))
		}
	}
	return out
}

// planned returns the VM as the Plan has it, with the names that it has in Git afterwards.
func (vm *movingVM) planned(k *Key) PlanVM {
	claims, volumes := make([]string, len(vm.Disks)), make([]string, len(vm.Disks))
	for i, d := range vm.Disks {
		claims[i], volumes[i] = d.Claim, d.Volume
	}
	return PlanVM{
		VSphereRef: VSphereRef(vm.VM), TargetName: vm.name, TargetPowerState: vm.PowerState, Hooks: k.hookRefs(vm),
		PVCNameTemplate:     choice(".DiskIndex", claims),
		VolumeNameTemplate:  choice(".VolumeIndex", volumes),
		NetworkNameTemplate: choice(".NetworkIndex", vm.nics),
	}
}

// choice returns a Go template that results in the name at an index, and in nothing at any other. forklift rejects
// an empty name before it starts, so a Plan whose VM has a disk that is not in Git never runs.
func choice(index string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("{{else ")
		} else {
			b.WriteString("{{")
		}
		fmt.Fprintf(&b, "if eq %s %d}}%s", index, i, name)
	}
	b.WriteString("{{end}}")
	return b.String()
}
