package plan

import (
	"maps"
	"slices"
	"strings"
)

// A SetField is a field that no author writes: the platform does.
type SetField struct {
	// Path of the field. A "*" stands for all entries of a list; the last segment can end
	// with one.
	Path []string
	// By is what sets it, with the place in its source.
	By string
	// Empty is true if only an empty value is the platform's: `{}`, `[]`, null.
	Empty bool
}

const (
	byAPIServer  = "Kubernetes v1.34, apiserver, pkg/registry/rest/create.go, BeforeCreate"
	byController = "KubeVirt v1.8.4, pkg/controller/controller.go"
	byTypes      = "KubeVirt v1.8.4, api/core/v1: the webhook writes every struct that is not a pointer"
	byTopology   = "KubeVirt v1.8.4, pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go"
	byDataVolume = "KubeVirt v1.8.4, pkg/virt-controller/watch/util/util.go, CreateDataVolumeManifest"
)

// ServerSet returns the fields of VirtualMachines, DataVolumes and Secrets that the API
// server, webhooks and controllers set, independently of what their author
// wanted. What they fill in and the VM then keeps by it is not among them: machine type,
// architecture, the UUID and serial of the firmware, MAC addresses.
func ServerSet() []SetField { return slices.Clone(serverSet) }

var serverSet = slices.Concat(
	metadata(byAPIServer, "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"),
	metadata(byController, "finalizers"),
	metadata(byDataVolume, "ownerReferences"),
	annotations(byController, "kubevirt.io/latest-observed-api-version", "kubevirt.io/storage-observed-api-version"),
	annotations("kubectl apply", lastApplied),
	annotations("kubemacpool", "kubemacpool.io/transaction-timestamp"),
	[]SetField{
		{Path: []string{"status"}, By: byAPIServer},
		{Path: []string{"spec", "template", "metadata", "creationTimestamp"}, By: byTypes},
		{Path: []string{"spec", "template", "metadata", "annotations", "kubevirt.io/pci-*"}, By: byTopology},
		{Path: []string{"spec", "template", "spec", "domain", "resources"}, By: byTypes, Empty: true},
		{Path: []string{"spec", "template", "spec", "domain", "machine"}, By: byTypes, Empty: true},
		{Path: []string{"spec", "template", "spec", "domain", "firmware"}, By: byTypes, Empty: true},
		{Path: []string{"spec", "dataVolumeTemplates", "*", "metadata", "creationTimestamp"}, By: byTypes},
		{Path: []string{"spec", "dataVolumeTemplates", "*", "status"}, By: byTypes},
	},
)

// metadata returns fields of the metadata that one program sets.
func metadata(by string, names ...string) []SetField { return setBy(by, []string{"metadata"}, names) }

// annotations returns annotations that one program sets.
func annotations(by string, names ...string) []SetField {
	return setBy(by, []string{"metadata", "annotations"}, names)
}

func setBy(by string, in, names []string) []SetField {
	out := make([]SetField, len(names))
	for i, name := range names {
		out[i] = SetField{Path: append(slices.Clone(in), name), By: by}
	}
	return out
}

// Declared returns an object without the fields of [ServerSet], and without the maps that
// are empty then. The object is not changed.
func Declared(object map[string]any) map[string]any {
	out := object
	for i := range serverSet {
		out = serverSet[i].withoutKey(out, serverSet[i].Path)
	}
	return out
}

// without returns a copy of a value without the field at a path in it.
func (f *SetField) without(v any, path []string) any {
	switch v := v.(type) {
	case tree:
		return f.withoutKey(v, path)
	case []any:
		if path[0] != "*" {
			return v
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = f.without(v[i], path[1:])
		}
		return out
	}
	return v
}

func (f *SetField) withoutKey(t tree, path []string) tree {
	out := maps.Clone(t)
	for name, value := range t {
		prefix, isPrefix := strings.CutSuffix(path[0], "*")
		switch {
		case name != path[0] && !(isPrefix && strings.HasPrefix(name, prefix)):
		case len(path) == 1 && f.Empty && !nothing(value):
		case len(path) == 1:
			delete(out, name)
		default:
			if out[name] = f.without(value, path[1:]); nothing(out[name]) && !nothing(value) {
				delete(out, name)
			}
		}
	}
	return out
}
