package openshift

import "strings"

const (
	hyperConvergeds  = "hyperconvergeds.hco.kubevirt.io"
	kubeDeschedulers = "kubedeschedulers.operator.openshift.io"
	policies         = "nodenetworkconfigurationpolicies.nmstate.io"
)

// product is an operator in the catalog.
type product struct {
	channels    []string // only stable, if there are none
	definitions []string // that come with its ClusterServiceVersion
}

// products returns the operators of the catalog by their packages. It excludes
// definitions that a configured operator installs itself: NMState's node networks
// (nmstate/kubernetes-nmstate, controllers/operator/nmstate_controller.go, applyCRDs),
// everything that HyperConverged deploys, and what ODF subscribes to.
func (r Release) products() map[string]product {
	return map[string]product{
		"kubevirt-hyperconverged":           {definitions: []string{hyperConvergeds}},
		"kubernetes-nmstate-operator":       {definitions: []string{"nmstates.nmstate.io"}},
		"cluster-kube-descheduler-operator": {definitions: []string{kubeDeschedulers}},
		"node-healthcheck-operator":         {definitions: []string{"nodehealthchecks.remediation.medik8s.io"}},
		"self-node-remediation":             {},
		"mtv-operator":                      {r.MigrationToolkit, []string{"forkliftcontrollers.forklift.konveyor.io"}},
		sriovPackage: {definitions: []string{
			"sriovoperatorconfigs.sriovnetwork.openshift.io", "sriovnetworknodepolicies.sriovnetwork.openshift.io",
			"sriovnetworknodestates.sriovnetwork.openshift.io", "sriovnetworks.sriovnetwork.openshift.io",
		}},
		"metallb-operator": {definitions: []string{
			"metallbs.metallb.io", "ipaddresspools.metallb.io", "l2advertisements.metallb.io",
		}},
		"odf-operator": {channels: []string{"stable-" + r.Name}},
		"redhat-oadp-operator": {r.DataProtection, []string{
			"dataprotectionapplications.oadp.openshift.io", "backupstoragelocations.velero.io", "schedules.velero.io",
		}},
	}
}

func (r Release) channels(name string) []string {
	p, ok := r.products()[name]
	if ok && p.channels == nil {
		return []string{"stable"}
	}
	return p.channels
}

// version returns the name of the ClusterServiceVersion of a package.
func (r Release) version(name string) string { return name + ".v" + r.Name + ".0" }

// providing returns the package and the product of a ClusterServiceVersion.
func (r Release) providing(version string) (string, product) {
	name, _, _ := strings.Cut(version, ".v")
	return name, r.products()[name]
}
