package render

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/forklift"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// APIs lists what a cluster serves: group/version and group/version/Kind,
// separated by commas, as Argo CD passes it to plugins (APIResourcesToStrings in
// argo-cd v3.2, util/argo/argo.go). An empty list means that it is not known.
type APIs string

// kubeVirtAPIs lists API versions and the KubeVirt version that introduced each,
// newest first. Source: the packages of kubevirt.io/api v1.1.0 to v1.9.0; no
// older version has the types.
var kubeVirtAPIs = []struct{ api, since string }{
	{"export.kubevirt.io/v1", "1.9"},
	{"pool.kubevirt.io/v1beta1", "1.7"},
	{"clone.kubevirt.io/v1beta1", "1.5"},
	{"snapshot.kubevirt.io/v1beta1", "1.3"},
}

// providers maps an API group to the advice on how to add it to a cluster.
var providers = map[string]string{
	"kubevirt.io":              "install KubeVirt",
	"pool.kubevirt.io":         "v1beta1 comes with KubeVirt 1.7: set `target.kubevirt` to the cluster's version",
	"instancetype.kubevirt.io": "install KubeVirt 1.1 or newer, or set cpu and memory",
	"snapshot.kubevirt.io":     "install KubeVirt 1.3 or newer, or remove `snapshotBefore`, `snapshots` and `restoreFrom`",
	"cdi.kubevirt.io":          "install CDI, or use disks without DataVolumes, such as `claim` and `containerDisk`",
	"k8s.cni.cncf.io":          "install Multus, or use the network \"pod\" only",
	forklift.Group:             "install the Migration Toolkit for Virtualization (forklift)",
	"tower.ansible.com":        "install Ansible Automation Platform, or set an image instead of a template",
}

// KubeVirt returns the minimum KubeVirt version of the cluster, such as "1.7", or
// "" if unknown.
func (a APIs) KubeVirt() string {
	for _, known := range kubeVirtAPIs {
		if a.has(known.api) {
			return known.since
		}
	}
	return ""
}

// NoOpenShift reports whether the APIs are known and lack those of OpenShift's
// configuration (openshift/api config/v1).
func (a APIs) NoOpenShift() bool {
	return a != "" && !strings.Contains(string(a), "config.openshift.io/")
}

// serves reports whether the cluster serves a kind. If the list has no kinds of
// the kind's API version, the version is enough.
func (a APIs) serves(kind schema.GroupVersionKind) bool {
	version := kind.GroupVersion().String()
	return a.has(version+"/"+kind.Kind) || a.has(version) && !strings.Contains(","+string(a), ","+version+"/")
}

func (a APIs) has(entry string) bool {
	return strings.Contains(","+string(a)+",", ","+entry+",")
}

// The kinds that a VM can need although no object of the kind is rendered.
var (
	kindDataVolume = schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "DataVolume"}
	kindNetwork    = schema.GroupVersionKind{Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition"}
	kindSnapshot   = schema.GroupVersionKind{
		Group: "snapshot.kubevirt.io", Version: "v1beta1", Kind: "VirtualMachineSnapshot",
	}

	instancetypes = schema.GroupVersion{Group: "instancetype.kubevirt.io", Version: "v1beta1"}
)

// place is the position of a VM in the values files.
type place struct {
	pos  source.Pos
	path string
}

func (p place) before(other place) bool {
	return cmp.Or(p.pos.Compare(other.pos), cmp.Compare(p.path, other.path)) < 0
}

// needs maps the kinds that VMs need to the first VM that needs each.
type needs map[schema.GroupVersionKind]place

func (n needs) add(kind schema.GroupVersionKind, at place) {
	if first, ok := n[kind]; !ok || at.before(first) {
		n[kind] = at
	}
}

// addMachine adds the kinds that a VM and its objects need.
func (n needs) addMachine(m *machine.Machine, objects []runtime.Object) {
	at := place{m.Pos, m.Path}
	for _, o := range objects {
		n.add(o.GetObjectKind().GroupVersionKind(), at)
	}
	for i := range m.Disks {
		if m.Disks[i].Kind == machine.DiskDataVolume {
			n.add(kindDataVolume, at)
		}
	}
	for i := range m.NICs {
		if !m.NICs[i].Pod {
			n.add(kindNetwork, at)
		}
	}
	if m.Instancetype != nil {
		kind, _ := kinds.OfType(m.Instancetype.Kind, "Instancetype")
		n.add(instancetypes.WithKind(kind), at)
	}
	if m.Preference != nil {
		kind, _ := kinds.OfType(m.Preference.Kind, "Preference")
		n.add(instancetypes.WithKind(kind), at)
	}
	if m.Lifecycle.SnapshotBefore || m.Lifecycle.Snapshots != nil || m.Lifecycle.Restores() {
		n.add(kindSnapshot, at)
	}
	if m.Migration != nil && !m.Migration.Ended() {
		n.add(forklift.PlanKind, at)
	}
}

// reportUnserved reports each kind that the cluster does not serve, at the first
// VM that needs it.
func (n needs) reportUnserved(apis APIs, diags *source.Diagnostics) {
	for kind, at := range n {
		if !apis.serves(kind) {
			advice := cmp.Or(providers[kind.Group], "install what provides it")
			diags.Errorf(at.pos, rule.Unserved, at.path, "the cluster serves no %s %s; %s",
				kind.GroupVersion(), kind.Kind, advice)
		}
	}
}
