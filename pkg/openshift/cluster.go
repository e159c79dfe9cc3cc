// Package openshift contains what follows from a release of OpenShift.
package openshift

import (
	"strconv"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Cluster is a minor release of OpenShift such as "4.20", or whether the cluster is
// OpenShift at all.
type Cluster struct {
	Release string // empty if unknown
	No      bool   // the cluster is not OpenShift
}

// release matches a minor release of OpenShift 4.
var release = lazyregexp.New(`^4\.([0-9]{1,2})$`)

// DecodeNode reads a boolean or a release.
func (c *Cluster) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	switch {
	case n.Kind == source.Bool:
		c.No = n.Text == "false"
	case n.Kind == source.String && release().MatchString(n.Text):
		c.Release = n.Text
	default:
		diags.Errorf(n.Pos(), rule.BadVersion, path.String(),
			`invalid release %q; expected true, false, or a release in quotes such as "4.20"`, n.Text)
	}
}

// The minor versions of Kubernetes 1 and of KubeVirt 1 are that of OpenShift 4 and these:
// OpenShift 4.20 is Kubernetes 1.33, and OpenShift Virtualization 4.20 is KubeVirt 1.6
// (kubevirt/hyperconverged-cluster-operator, hack/config of release-1.16).
const (
	kubernetes = 13
	kubeVirt   = -14
)

// Kubernetes returns the version of Kubernetes of the release, or "" if it is unknown.
func (c *Cluster) Kubernetes() string { return c.version(kubernetes) }

// KubeVirt returns the version of KubeVirt that OpenShift Virtualization of the release
// has, or "" if it is unknown.
func (c *Cluster) KubeVirt() string { return c.version(kubeVirt) }

// version returns the version 1 with the release's minor version and a difference.
func (c *Cluster) version(more int) string {
	m := release().FindStringSubmatch(c.Release)
	if m == nil {
		return ""
	}
	minor, err := strconv.Atoi(m[1])
	if err != nil || minor+more < 0 {
		return ""
	}
	return "1." + strconv.Itoa(minor+more)
}
