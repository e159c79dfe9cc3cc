// Package kinds has a table of what each kind of object does to VMs and their disks: for the objects that a fleet may
// bring with its VMs, and for the plan of a sync that creates, changes or removes them.
package kinds

import "strings"

// Kind is a row of the table. The zero value is a kind that nothing is known about.
type Kind struct {
	Group, Name string // the name is empty for all kinds of the group, and of the groups below it, without a row
	// Level is the name of the level of impact that an object has when it is created or changed, and Removed when it
	// is removed. Empty for the level of any object.
	Level, Removed string
	// Does is what such an object does, as a predicate; empty for a kind that does nothing to VMs.
	Does string
	// Named reports whether a fleet must name the kind in `policy.objects`.
	Named bool
	// Cluster reports whether the kind has no namespace.
	Cluster bool
	// Instead is the key that renders the kind; empty for other kinds.
	Instead string
	// VM are the paths of the names of the VM that an object acts on.
	VM []string
	// Source is where the fact was read.
	Source string
}

// Known reports whether the table has a row for the kind or its group.
func (k *Kind) Known() bool { return k.Name != "" || k.Group != "" }

// Acts reports whether an object of the kind does something to VMs or disks when it is created or changed.
func (k *Kind) Acts() bool { return k.Level != "" }

// Of returns the row of a kind, or that of its group. The group of the core API is empty.
func Of(group, name string) Kind {
	for i := range table {
		if table[i].Group == group && table[i].Name == name {
			return table[i]
		}
	}
	for i := range table {
		if k := &table[i]; k.Name == "" && k.Group != "" && (group == k.Group || strings.HasSuffix(group, "."+k.Group)) {
			return *k
		}
	}
	return Kind{}
}

// Split returns the group and the name of a kind in the form of `policy.objects`: "apps/Deployment", or "Pod" of the
// core group.
func Split(kind string) (group, name string) {
	if group, name, ok := strings.Cut(kind, "/"); ok {
		return group, name
	}
	return "", kind
}

// All returns the rows.
func All() []Kind { return table }

// OfType returns the kind of an instance type ("Instancetype") or preference ("Preference") that a VM names with a
// kind, and whether it is one of the cluster. KubeVirt takes that of the cluster if there is no kind, and accepts kinds
// in lower case, which OpenShift's console writes, and plurals (KubeVirt v1.8.4, pkg/instancetype/find/spec.go, Find).
func OfType(named, what string) (kind string, ofCluster bool) {
	if named == "" || strings.HasPrefix(strings.ToLower(named), "virtualmachinecluster") {
		return "VirtualMachineCluster" + what, true
	}
	return "VirtualMachine" + what, false
}
