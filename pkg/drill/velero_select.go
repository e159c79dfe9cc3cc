package drill

import (
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The resources that a backup of a disk needs.
const (
	claims    = "persistentvolumeclaims"
	machines  = "virtualmachines"
	instances = "virtualmachineinstances"
	pods      = "pods"
)

// resourceRole is why a backup that selects a VM needs a resource: KubeVirt's plugin refuses VMs that run without their
// instance and pod (kubevirt-velero-plugin v0.8, pkg/plugin/vm_backup_item_action.go, canBeSafelyBackedUp).
var resourceRole = map[string]string{
	instances: ", so KubeVirt's plugin refuses VMs that run", pods: ", so KubeVirt's plugin refuses VMs that run",
}

// selects returns the resources by which the backup comes to a disk, or nil. KubeVirt's plugin adds the claims of a VM
// to it, also that with the state of its TPM, regardless of their labels (kubevirt-velero-plugin v0.8,
// pkg/util/kvgraph/util.go, addVolumeGraph).
func (b *velero) selects(c *claim) []string {
	if b.selectsLabels(c.labels) {
		return []string{claims}
	}
	if c.vm == nil {
		return nil
	}
	own := labelsOf(c.vm.is())
	if b.selectsLabels(own) && own[labelExclude] != "true" {
		return []string{claims, machines, instances, pods}
	}
	return nil
}

func (b *velero) selectsLabels(labels manifest.Tree) bool {
	one, several := manifest.At(b.spec, "labelSelector"), manifest.List(b.spec, "orLabelSelectors")
	if one == nil && len(several) == 0 {
		return true
	}
	return cluster.Selects(one, labels) ||
		slices.ContainsFunc(several, func(s any) bool { return cluster.Selects(s, labels) })
}

// hasNamespace reports whether the backup has the objects of a namespace.
func (b *velero) hasNamespace(namespace string) bool {
	matches := func(pattern any) bool {
		s, _ := pattern.(string)
		is, err := path.Match(s, namespace)
		return is && err == nil
	}
	included := manifest.List(b.spec, "includedNamespaces")
	return (len(included) == 0 || slices.ContainsFunc(included, matches)) &&
		!slices.ContainsFunc(manifest.List(b.spec, "excludedNamespaces"), matches)
}

// hasResource reports whether the backup has the objects of a resource.
func (b *velero) hasResource(resource string) bool {
	for _, field := range []string{"Resources", "NamespaceScopedResources"} {
		included := manifest.List(b.spec, "included"+field)
		isIncluded := len(included) == 0 || slices.ContainsFunc(included, isResource(resource))
		if !isIncluded || slices.ContainsFunc(manifest.List(b.spec, "excluded"+field), isResource(resource)) {
			return false
		}
	}
	return true
}

// shortNames are other names of resources that Velero accepts: it finds them as kubectl does.
var shortNames = map[string]string{
	"pvc": claims, "persistentvolumeclaim": claims, "vm": machines, "vms": machines, "virtualmachine": machines,
	"vmi": instances, "vmis": instances, "virtualmachineinstance": instances, "po": pods, "pod": pods,
}

// isResource returns a function that reports whether a name, with or without its group, is that of a resource.
func isResource(resource string) func(any) bool {
	return func(v any) bool {
		s, _ := v.(string)
		name, _, _ := strings.Cut(strings.ToLower(s), ".")
		return name == "*" || name == resource || shortNames[name] == resource
	}
}
