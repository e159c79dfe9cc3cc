// Package admission predicts what the API server and KubeVirt refuse of a VirtualMachine: by KubeVirt's webhooks, when
// the VM is written, and by those of its instance and of its pod, when it starts.
//
// The rules are data: each has the path of a field, a condition, the versions and the feature gate that it depends on,
// a text and its source. They are about the VM alone. What depends on other objects in the cluster, such as the
// content of an instance type, is not among them.
package admission

import (
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Cluster is what the rules ask about a cluster.
type Cluster struct {
	KubeVirt string // version, such as "1.8"; empty for the newest
	Stage    bool   // whether KubeVirt's vmRolloutStrategy is Stage
	// Gate reports whether a feature gate is on, and whether the cluster is known to have it so, instead of by the
	// default of its version.
	Gate func(name string) (on, known bool)
}

// Rule is one condition under which a VM is refused.
type Rule struct {
	ID string // such as "masquerade-network"; unique
	// Kind is the kind of problem that it is reported as.
	Kind rule.ID
	// Field is the path of the field, below spec.template.spec or, with a leading slash, below the object. In a rule of
	// list entries it is below the entry.
	Field string
	// Problem is what is wrong, and what is accepted; "%q" stands for the value.
	Problem string
	// From and Before limit the versions of KubeVirt that have the rule; empty without a limit.
	From, Before string
	// Gate is the feature gate that switches the rule off, and Setting a field of KubeVirt's configuration that can; empty
	// if there is none.
	Gate, Setting string
	// Starts is true if the VM is accepted, and only its instance or pod is refused, when it starts.
	Starts bool
	// Source is where the fact was read: version and file.
	Source string
}

// Finding is a rule that a VM breaks.
type Finding struct {
	*Rule

	// Path is that of the field in the object, such as "spec.template.spec.domain.devices.disks[0].serial".
	Path string
	// Entry is the name of the entry of a list that the field is in, or "".
	Entry string
	// Text is the problem, with the value.
	Text string
	// Doubt is what is not known, in a few words, if the refusal depends on the cluster; otherwise empty.
	Doubt string
}

// Problem returns the problem with the name of the entry.
func (f *Finding) Problem() string {
	if f.Entry == "" {
		return f.Text
	}
	return quoted(f.Entry) + ": " + f.Text
}

// Same reports whether two findings are about the same rule, entry and value.
func (f Finding) Same(o Finding) bool {
	return f.ID == o.ID && f.Entry == o.Entry && f.Text == o.Text
}

// subject is a VM that is being checked.
type subject struct {
	*kubevirtv1.VirtualMachineInstanceSpec

	vm      *kubevirtv1.VirtualMachine
	cluster *Cluster
	found   []Finding
}

// sized reports whether an instance type sets the size, and can set more.
func (s *subject) sized() bool { return s.vm.Spec.Instancetype != nil }

// settled reports whether no instance type and no preference fill in what is not set.
func (s *subject) settled() bool { return s.vm.Spec.Instancetype == nil && s.vm.Spec.Preference == nil }

// Paths of the object.
const (
	instance = "spec.template.spec."
	devices  = "domain.devices."
)

// Check returns the rules that a VM breaks, in the order of the table. The VM is not changed.
func Check(vm *kubevirtv1.VirtualMachine, cluster *Cluster) []Finding {
	if vm.Spec.Template == nil {
		return []Finding{{Rule: &noTemplate, Path: noTemplate.Field[1:], Text: noTemplate.Problem}}
	}
	s := &subject{VirtualMachineInstanceSpec: &vm.Spec.Template.Spec, vm: vm, cluster: cluster}
	s.checkMachine()
	checkList(s, entryRules.disks, s.Domain.Devices.Disks, instance+devices+"disks",
		func(d *kubevirtv1.Disk) string { return d.Name })
	checkList(s, entryRules.volumes, s.Volumes, instance+"volumes",
		func(v *kubevirtv1.Volume) string { return v.Name })
	checkList(s, entryRules.interfaces, s.Domain.Devices.Interfaces, instance+devices+"interfaces",
		func(n *kubevirtv1.Interface) string { return n.Name })
	checkList(s, entryRules.networks, s.Networks, instance+"networks",
		func(n *kubevirtv1.Network) string { return n.Name })
	checkList(s, entryRules.templates, vm.Spec.DataVolumeTemplates, "spec.dataVolumeTemplates",
		func(d *kubevirtv1.DataVolumeTemplateSpec) string { return d.Name })
	checkList(s, entryRules.credentials, s.AccessCredentials, instance+"accessCredentials", unnamed)
	return s.found
}

// Rules returns all rules, in the order in which they are tried, with the paths of their fields from the object on.
func Rules() []Rule {
	all := append([]Rule{noTemplate}, placed(machineRules, "")...)
	for i := range kubernetesRules {
		all = append(all, kubernetesRules[i].Rule)
	}
	all = append(all, placed(entryRules.disks, devices+"disks[]")...)
	all = append(all, placed(entryRules.volumes, "volumes[]")...)
	all = append(all, placed(entryRules.interfaces, devices+"interfaces[]")...)
	all = append(all, placed(entryRules.networks, "networks[]")...)
	all = append(all, placed(entryRules.templates, "/spec.dataVolumeTemplates[]")...)
	all = append(all, placed(entryRules.credentials, "accessCredentials[]")...)
	for i := range all {
		if rest, ok := strings.CutPrefix(all[i].Field, "/"); ok {
			all[i].Field = rest
		} else {
			all[i].Field = instance + all[i].Field
		}
	}
	return all
}

// HasGate reports whether a rule depends on a feature gate.
func HasGate(name string) bool {
	return slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Gate == name && name != "" })
}

func placed[T any](groups []group[T], in string) []Rule {
	var out []Rule
	for i := range groups {
		for k := range groups[i].rows {
			r := groups[i].rows[k].Rule
			r.Field = strings.Trim(in+"."+r.Field, ".")
			out = append(out, r)
		}
	}
	return out
}

// group is the rules of a part of a VM, or of an entry of a list, that most do not have.
type group[T any] struct {
	// has reports whether the part is there. Without it, no rule is broken, and none is tried. nil stands for always.
	has  func(*subject, *T) bool
	rows []row[T]
}

// row is a rule with its condition.
type row[T any] struct {
	Rule

	// broken reports whether the rule is broken.
	broken func(*subject, *T) bool
	// got returns the value for the text; nil if the text has none.
	got func(*T) string
}

// checkMachine checks the rules of the VM as a whole.
func (s *subject) checkMachine() {
	try(s, machineRules, s.VirtualMachineInstanceSpec, func(r *row[spec]) {
		path, isObjects := strings.CutPrefix(r.Field, "/")
		if !isObjects {
			path = instance + r.Field
		}
		s.add(&r.Rule, path, "", textOf(r, s.VirtualMachineInstanceSpec))
	})
	for i := range kubernetesRules {
		r := &kubernetesRules[i]
		for _, problem := range r.errors(s) {
			s.add(&r.Rule, problem.Field, "", invalid(problem))
		}
	}
}

// checkList checks the rules of the entries of a list at a path.
func checkList[T any](s *subject, groups []group[T], list []T, path string, name func(*T) string) {
	for i := range list {
		try(s, groups, &list[i], func(r *row[T]) {
			s.add(&r.Rule, strings.TrimSuffix(indexed(path, i)+"."+r.Field, "."), name(&list[i]), textOf(r, &list[i]))
		})
	}
}

// try calls broken for each rule that a value breaks.
func try[T any](s *subject, groups []group[T], value *T, broken func(*row[T])) {
	for i := range groups {
		g := &groups[i]
		if g.has != nil && !g.has(s, value) {
			continue
		}
		for k := range g.rows {
			if r := &g.rows[k]; r.broken(s, value) {
				broken(r)
			}
		}
	}
}

// textOf returns the text of a broken rule.
func textOf[T any](r *row[T], value *T) string {
	if r.got == nil {
		return r.Problem
	}
	return strings.Replace(r.Problem, "%q", quoted(r.got(value)), 1)
}

// add adds a finding, unless the cluster's version, gates or settings allow it.
func (s *subject) add(r *Rule, path, entry, text string) {
	version := s.cluster.KubeVirt
	if r.From != "" && versions.Before(version, r.From) || r.Before != "" && !versions.Before(version, r.Before) {
		return
	}
	doubt := ""
	if r.Setting != "" {
		doubt = "KubeVirt's " + r.Setting
	}
	if r.Gate != "" {
		on, known := s.cluster.Gate(r.Gate)
		if on {
			return
		}
		if !known {
			doubt = "feature gate " + r.Gate
		}
		text += ": needs the feature gate " + r.Gate + ", which is off"
	}
	s.found = append(s.found, Finding{Rule: r, Path: path, Entry: entry, Text: text, Doubt: doubt})
}
