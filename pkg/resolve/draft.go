// Package resolve makes a [machine.Machine] of each VM of an entry of a fleet: it looks up names, expands templates,
// and fills in defaults. Each part of a VM (disks, nics, sizing, guest, lifecycle …) is a method of a draft, which
// reports the problems of that part. Package validation finds those between parts, and package inventory those between
// VMs.
package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// draft is one VM that is being resolved, with the input of all its parts
// and the diagnostics.
type draft struct {
	site      *Site
	entry     *fleet.Entry
	vm        *values.VM // of the entry
	diags     *source.Diagnostics
	name      string // of the VM, with its ordinal
	namespace string
	home      string // its namespace in the files
	ordinal   *int   // nil if it is not a replica
	strategy  values.Strategy
	traits    *values.Traits

	ofDisks map[string]string // `diskLabels`, with templates expanded

	shared *shared
	data   map[string]any // data for templates; nil until the first template
}

// replica returns the VM with the given ordinal.
func (d *draft) replica(ordinal int) *machine.Machine {
	r := *d
	r.name, r.ordinal = d.entry.Name+"-"+strconv.Itoa(ordinal), &ordinal
	return r.decide()
}

// errorf reports a problem at pos, under a path below the VM's.
func (d *draft) errorf(pos source.Pos, id rule.ID, path, format string, args ...any) {
	d.entry.Errorf(d.diags, pos, id, path, format, args...)
}

// reportNew reports a problem of new VMs, which is a warning for one that exists.
func (d *draft) reportNew(pos source.Pos, id rule.ID, path, format string, args ...any) {
	if d.adopted() {
		d.diags.Warnf(pos, id, d.entry.Path+"."+path, format, args...)
		return
	}
	d.errorf(pos, id, path, format, args...)
}

// reportUnknown reports a name that is not among the entries of a kind in the
// catalog.
func (d *draft) reportUnknown(n *source.Node, path, what, kind string) {
	d.diags.Errorf(n.Pos(), rule.UnknownName, d.entry.Path+path, "%s", d.site.Catalog.Unknown(what, kind, n.Text))
}

// decide resolves every part of the VM.
func (d *draft) decide() *machine.Machine {
	vm := d.vm
	d.checkNamespace()
	m := &machine.Machine{
		Fleet: d.site.Fleet, Part: d.site.Part, Name: d.name, Namespace: d.namespace, Target: d.site.Target,
		Pos: d.entry.Pos, Path: d.entry.Path, OS: d.entry.OS, Workload: vm.Workload, Written: d.entry,
		Metadata: d.metadata(), Sizing: d.sizing(), Hardware: d.hardware(), Disks: d.disks(), NICs: d.nics(),
		Sysprep: d.sysprep(), Services: d.services(), Lifecycle: d.lifecycle(), Gate: d.gate(),
		MachineType: vm.MachineType, Arch: cmp.Or(vm.Arch, d.site.Target.Arch, catalog.DefaultArch),
		Filesystems: d.filesystems(),
		Adopted:     d.adopted(), RunStrategy: d.runStrategy(), Running: vm.Running, EvictionStrategy: vm.EvictionStrategy,
		NodeSelector: d.nodeSelector(), Tolerations: d.tolerations(),
		PriorityClassName: vm.PriorityClassName, TerminationGracePeriodSeconds: vm.TerminationGracePeriodSeconds,
		Affinity: vm.Affinity, TopologySpreadConstraints: vm.TopologySpreadConstraints,
		ReadinessProbe: vm.ReadinessProbe, LivenessProbe: vm.LivenessProbe, AccessCredentials: vm.AccessCredentials,
		DependsOn: d.dependsOn(), Overrides: d.overrides(), Patches: vm.Patches,
	}
	if vm.Patches != nil {
		m.PatchPos = d.entry.At("patches")
	}
	if d.ordinal != nil {
		m.Entry = d.entry.Name
	}
	m.CloudInit = d.cloudInit(m.NICs)
	m.Objects = d.objects(m)
	m.Migration = d.migration(m)
	d.checkBoot(m)
	d.checkVolumeNames(m.Disks, m.Filesystems)
	d.checkPlugs(m.Disks)
	d.identify(m)
	d.site.rules.Check(m, d.vm, d.diags)
	return m
}

func (d *draft) checkNamespace() {
	if d.namespace == "" {
		d.errorf(d.entry.Pos, rule.MissingKey, "namespace",
			"no namespace; set `namespace` here, in the file or in the defaults, or give --namespace")
	} else if problem := values.NameProblem(d.namespace); problem != "" {
		d.errorf(d.entry.At("namespace"), rule.BadName, "namespace", "%s", problem)
	}
}

func (d *draft) overrides() []*source.Node {
	var out []*source.Node
	for _, n := range []*source.Node{d.entry.OS.Overrides, d.vm.Overrides} {
		if n.IsSet() {
			out = append(out, n)
		}
	}
	return out
}

// domainLabel is the label by which Services select the pods of a VM.
const domainLabel = "kubevirt.io/domain"

func (d *draft) metadata() machine.Metadata {
	m := machine.Metadata{
		Hostname:    d.expand(d.vm.Hostname, "hostname"),
		Labels:      d.expandMap(d.vm.Labels, "labels"),
		Annotations: d.expandMap(d.vm.Annotations, "annotations"),

		PodLabels:      d.expandMap(d.vm.PodLabels, "podLabels"),
		PodAnnotations: d.expandMap(d.vm.PodAnnotations, "podAnnotations"),

		Plain: d.isPlain(), Backup: d.backup(),
	}
	if m.Hostname != "" && values.NameProblem(m.Hostname) != "" {
		d.errorf(d.entry.At("hostname"), rule.BadName, "hostname", "%s", values.NameProblem(m.Hostname))
	}
	d.checkVMLabels(m.Labels, "labels", false)
	d.checkVMLabels(m.PodLabels, "podLabels", m.Plain)
	d.checkAnnotations(m.Annotations, "annotations")
	d.checkAnnotations(m.PodAnnotations, "podAnnotations")
	return m
}

// checkVMLabels checks the labels below a key of the VM. They can be any if no Service selects the VM by them.
func (d *draft) checkVMLabels(m map[string]string, key string, unselected bool) {
	d.checkLabels(m, key)
	if name, ok := m[domainLabel]; ok && name != d.name && !unselected {
		d.errorf(d.entry.KeyAt(key, domainLabel), rule.BadLabel, source.JoinPath(key, domainLabel),
			"the label of the VM's pods is the name of the VM, by which Services select it; remove it")
	}
}

// checkLabels checks labels. keys is the path to them.
func (d *draft) checkLabels(m map[string]string, keys ...string) {
	d.checkReserved(m, keys...)
	for k, v := range m {
		if problem := values.LabelProblem(k, v); problem != "" {
			path := append(slices.Clone(keys), k)
			at := d.entry.At(path...)
			if !values.IsLabelKey(k) {
				at = d.entry.KeyAt(path...)
			}
			d.errorf(at, rule.BadLabel, source.JoinPath(strings.Join(keys, "."), k), "%s", problem)
		}
	}
}

// checkAnnotations checks the names of annotations. keys is the path to them.
func (d *draft) checkAnnotations(m map[string]string, keys ...string) {
	d.checkReserved(m, keys...)
	for k := range m {
		if !values.IsLabelKey(k) {
			d.errorf(d.entry.KeyAt(append(slices.Clone(keys), k)...), rule.BadLabel,
				source.JoinPath(strings.Join(keys, "."), k), "%s", values.AnnotationProblem(k))
		}
	}
}

// checkReserved reports labels or annotations that vmrender sets. keys is the path
// of the map below the VM's.
func (d *draft) checkReserved(m map[string]string, keys ...string) {
	for k := range m {
		if labels.IsReserved(k) {
			path := append(slices.Clone(keys), k)
			d.errorf(d.entry.KeyAt(path...), rule.Reserved, source.JoinPath(strings.Join(keys, "."), k),
				"%q is set by vmrender, and read by its Jobs; remove it", k)
		}
	}
}

// nodeSelector returns the VM's node selector, with the fleet's placement
// merged over it.
func (d *draft) nodeSelector() map[string]string {
	fleets, own := d.site.Placement.NodeSelector, d.vm.NodeSelector
	if len(fleets) == 0 {
		return own
	}
	out := make(map[string]string, len(fleets)+len(own))
	maps.Copy(out, own)
	for k, v := range fleets {
		if mine, ok := own[k]; ok && mine != v {
			d.errorf(d.entry.At("nodeSelector", k), rule.Placement, source.JoinPath("nodeSelector", k),
				"%q is not where the fleet's placement puts VMs; accepted: %q", mine, v)
		}
		out[k] = v
	}
	return out
}

// tolerations returns the lists of the fleet's placement and of the VM.
func (d *draft) tolerations() []*source.Node {
	var out []*source.Node
	for _, n := range []*source.Node{d.site.Placement.Tolerations, d.vm.Tolerations} {
		if n.IsSet() {
			out = append(out, n)
		}
	}
	return out
}

// dependsOn returns the dependencies as written: with namespaces of the files, which
// are replaced when the VMs are found.
func (d *draft) dependsOn() []machine.Dependency {
	var out []machine.Dependency
	for i, name := range d.vm.DependsOn {
		if n := d.entry.Keys.Get("dependsOn"); name == "" && n.Items[i].Kind != source.String {
			continue // reported as a wrong type
		}
		on := machine.Dependency{Namespace: d.home, Name: name, Pos: d.entry.ItemAt("dependsOn", i)}
		if ns, rest, ok := strings.Cut(name, "/"); ok {
			on.Namespace, on.Name = ns, rest
		}
		out = append(out, on)
	}
	return out
}
