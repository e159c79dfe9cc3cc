package drill

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// networkLosses returns the networks of a VM that Git does not render.
func (d *driller) networkLosses(v *vm) []Loss {
	var out []Loss
	namespaces := world.Networks(v.id.Namespace, world.Spec(v.git))
	for _, at := range namespaces {
		out = append(out, d.need(Network, kindAttachment, at.Namespace, at.Name, "")...)
	}
	if len(namespaces) < len(manifest.List(world.Spec(v.git), "networks")) || world.GetsNIC(v.git) {
		out = append(out, d.primaryLosses(v.id.Namespace)...)
	}
	return out
}

// primaryLosses returns the user-defined networks that the cluster has as the pod network of a namespace, and Git has
// not.
func (d *driller) primaryLosses(namespace string) []Loss {
	var out []Loss
	for _, e := range slices.Concat(d.Live.Of(kindUDN, namespace), d.Live.Of(kindCUDN, "")) {
		isOfAll := e.ID.Namespace == ""
		if isOfAll && !d.selectsNamespace(e.Object, namespace) || !isPrimary(e.Object) {
			continue
		}
		out = append(out, d.need(Network, cluster.KindOf(e.ID), e.ID.Namespace, e.ID.Name, "the pod network of")...)
	}
	return out
}

// isPrimary reports whether a user-defined network is the pod network of its namespaces (OVN-Kubernetes,
// go-controller/pkg/crd/userdefinednetwork/v1/shared.go, NetworkRole).
func isPrimary(network manifest.Tree) bool {
	for _, path := range [][]string{{"spec"}, {"spec", "network"}} {
		for _, layer := range []string{"layer2", "layer3"} {
			if manifest.Text(network, append(slices.Clone(path), layer, "role")...) == "Primary" {
				return true
			}
		}
	}
	return false
}

// vendorLabel is on the instance types and preferences that KubeVirt and OpenShift Virtualization install
// (common-instancetypes v1.3, labels of all bundles).
const vendorLabel = "instancetype.kubevirt.io/vendor"

// typeLosses returns the instance type and the preference of a VM if they are only in the cluster.
func (d *driller) typeLosses(v *vm) []Loss {
	var out []Loss
	for _, field := range []string{impact.Instancetype, impact.Preference} {
		kind, namespace, name := impact.NamedType(v.git, field)
		of := kind + ".instancetype.kubevirt.io"
		if name == "" || d.supplies(of, namespace, name) {
			continue
		}
		object := d.Live.Get(of, namespace, name)
		isCommon := object == nil && d.common != nil && d.common(kind, namespace, name) != nil
		if isCommon || manifest.Text(object, "metadata", "labels", vendorLabel) != "" {
			continue // KubeVirt installs it at the other site also
		}
		l := d.lacking(InstanceType, of, namespace, name, "the "+field)
		if object == nil && !d.isGone(of, l.Object) {
			l.Unknown = []string{"whether the platform installs it: the state in the cluster has none of its kind"}
		}
		out = append(out, l)
	}
	return out
}
