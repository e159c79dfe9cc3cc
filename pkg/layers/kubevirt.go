package layers

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

// The versions of KubeVirt that the layers know, by the releases of HyperConverged that deploy them: 1.16 to 1.19
// (kubevirt/hyperconverged-cluster-operator, hack/config). The last one has the API v1, earlier ones only v1beta1 with
// all fields.
const (
	oldestKubeVirt = "1.6"
	withV1         = "1.9"
)

// followKubeVirt compares the API version of HyperConverged with the version of KubeVirt that comes with it, and on a
// cluster that is not OpenShift, sets it in the layers that write that object: charts know the release of OpenShift by
// the version of Kubernetes, which says nothing there.
func (p *loaded) followKubeVirt(diags *source.Diagnostics) {
	if p.openShift() {
		if at := p.root.Get("target", "kubevirt"); at != nil {
			diags.Errorf(at.Pos(), rule.Conflict, "target.kubevirt", "the release of OpenShift determines it; set "+
				"`target.openshift` to the release, or to false for a cluster that is not OpenShift")
			return
		}
		p.checkAPI(p.Target.OpenShift.KubeVirt(), "OpenShift "+p.Target.OpenShift.Release, diags)
		return
	}
	version := p.Target.KubeVirt
	if version == "" || !IsVersion(version) {
		return
	}
	if versions.Before(version, oldestKubeVirt) || versions.Before(versions.Newest, version) {
		diags.Warnf(p.root.Get("target", "kubevirt").Pos(), rule.UnknownVersion, "target.kubevirt",
			"version %q is not one that vmrender has rules of layers for, %s to %s: what it has may be wrong",
			version, oldestKubeVirt, versions.Newest)
	}
	p.checkAPI(version, "the HyperConverged that deploys KubeVirt "+version, diags)
	for i := range p.layers {
		p.layers[i].setAPI(version)
	}
}

// apiVersion is the value of charts that write the HyperConverged.
const apiVersion = "apiVersion"

// checkAPI reports an API version of HyperConverged that the version of KubeVirt does not come with.
func (p *loaded) checkAPI(version, has string, diags *source.Diagnostics) {
	if version == "" || !versions.Before(version, withV1) {
		return
	}
	for i := range p.layers {
		l := &p.layers[i]
		if set := l.Values.Get(apiVersion); l.writesHyperConverged() && set.IsSet() && set.Text == "v1" {
			diags.Errorf(set.Pos(), rule.Conflict, l.path+".values."+apiVersion,
				"%s has v1beta1, and v1 is from OpenShift 4.23 and KubeVirt %s; remove it", has, withV1)
		}
	}
}

// setAPI sets the API version of HyperConverged that a version of KubeVirt comes with, unless the layer sets one.
func (l *layer) setAPI(version string) {
	if !l.writesHyperConverged() || l.Values.Get(apiVersion).IsSet() {
		return
	}
	api := "v1"
	if versions.Before(version, withV1) {
		api = "v1beta1"
	}
	l.Values = source.Merge(nest([]string{apiVersion}, &source.Node{Kind: source.String, Text: api}), orEmpty(l.Values))
}

func (l *layer) writesHyperConverged() bool {
	c, err := openChart(l.entry.Name)
	return err == nil && c.defaults.Field(apiVersion) != nil
}
