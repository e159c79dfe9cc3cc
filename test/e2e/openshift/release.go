package openshift

import (
	_ "embed"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// nativeYAML contains the objects of a cluster without any operator from a catalog.
//
//go:embed native.yaml
var nativeYAML []byte

// Release is a release of OpenShift, with the differences between releases.
type Release struct {
	Name       string // such as "4.20"
	Kubernetes string // its version

	// HyperConverged is the only version of that API here. From 4.22 on, its operator converts the other version, which
	// no layer of that release uses (kubevirt/hyperconverged-cluster-operator, releases 1.14 to 1.19).
	HyperConverged string
	// MigrationToolkit lists the channels of mtv-operator in its catalog
	// (kubev2v/forklift, build/release.conf, OCP_VERSIONS).
	MigrationToolkit []string
	// Profiles lists the profiles for VMs that its KubeDescheduler knows, and WantsPSI
	// is whether its operator refuses them before nodes measure pressure
	// (openshift/cluster-kube-descheduler-operator, release-4.18 to main,
	// pkg/apis/descheduler/v1/types_descheduler.go and
	// pkg/operator/target_config_reconciler.go, isPSIenabled).
	Profiles []any
	WantsPSI bool
	// DataProtection lists the channels of redhat-oadp-operator, if they are not only
	// stable (openshift/oadp-operator, PARTNERS.md).
	DataProtection []string
}

// Releases returns the releases that the tests install. The channels of mtv-operator are those of its releases 2.10 to 2.12.
func Releases() []Release {
	const v1beta1 = "v1beta1"
	developerPreview, both := []any{"DevKubeVirtRelieveAndMigrate"}, []any{"DevKubeVirtRelieveAndMigrate", "KubeVirtRelieveAndMigrate"}
	return []Release{
		{"4.18", "v1.31.9", v1beta1, []string{"release-v2.10"}, developerPreview, false, []string{"stable-1.4"}},
		{"4.19", "v1.32.5", v1beta1, []string{"release-v2.10", "release-v2.11"}, developerPreview, true, nil},
		{"4.20", "v1.33.5", v1beta1, []string{"release-v2.10", "release-v2.11", "release-v2.12"}, both, true, nil},
		{"4.21", "v1.34.1", v1beta1, []string{"release-v2.11", "release-v2.12"}, both, true, nil},
		{"4.22", "v1.35.0", v1beta1, []string{"release-v2.12"}, both, true, nil},
		{"4.23", "v1.36.0", "v1", []string{"release-v2.12"}, both, true, nil},
	}
}

// definition returns the release's version of a definition.
func (r Release) definition(d *unstructured.Unstructured) *unstructured.Unstructured {
	d = d.DeepCopy()
	versions := get[[]any](d, "spec", "versions")
	switch d.GetName() {
	case hyperConvergeds:
		kept := versions[:0]
		for _, v := range versions {
			if version, ok := v.(map[string]any); ok && version["name"] == r.HyperConverged {
				version["storage"] = true
				kept = append(kept, version)
			}
		}
		d.Object["spec"].(map[string]any)["versions"] = kept //nolint:forcetypeassert // read above
	case kubeDeschedulers:
		version := &unstructured.Unstructured{Object: versions[0].(map[string]any)} //nolint:forcetypeassert // as above
		items := map[string]any{"type": "string", "enum": append([]any{
			"LongLifecycle", "AffinityAndTaints",
			"SoftTopologyAndDuplicates", "EvictPodsWithPVC", "EvictPodsWithLocalStorage",
		}, r.Profiles...)}
		path := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties", "profiles", "items"}
		if err := unstructured.SetNestedField(version.Object, items, path...); err == nil {
			d.Object["spec"].(map[string]any)["versions"] = versions //nolint:forcetypeassert // as above
		}
	}
	return d
}

// HyperConvergedKind returns the kind of HyperConverged in the release.
func (r Release) HyperConvergedKind() schema.GroupVersionKind {
	return kind("hco.kubevirt.io", r.HyperConverged, "HyperConverged")
}

// Virtualization returns the path of a field of HyperConverged that is about VMs (api/v1/hyperconverged_types.go).
func (r Release) Virtualization(field ...string) []string {
	path := []string{"spec"}
	if r.HyperConverged == "v1" {
		path = append(path, "virtualization")
	}
	return append(path, field...)
}

// native returns the names of the definitions that need no operator from a catalog.
func native() []string {
	return []string{
		"clusterserviceversions.operators.coreos.com", "installplans.operators.coreos.com",
		"operatorgroups.operators.coreos.com", "operators.operators.coreos.com", "subscriptions.operators.coreos.com",
		"machineconfigs.machineconfiguration.openshift.io", "machineconfigpools.machineconfiguration.openshift.io",
		"kubeletconfigs.machineconfiguration.openshift.io",
		"network-attachment-definitions.k8s.cni.cncf.io", "clusteruserdefinednetworks.k8s.ovn.org",
		"userdefinednetworks.k8s.ovn.org",
		"volumesnapshotclasses.snapshot.storage.k8s.io", "templates.template.openshift.io",
		"prometheusrules.monitoring.coreos.com",
	}
}
