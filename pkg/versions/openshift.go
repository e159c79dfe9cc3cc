package versions

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// OpenShift is a minor release of OpenShift such as "4.20", or whether the cluster is
// OpenShift at all.
type OpenShift struct {
	Release string // empty if unknown
	Absent  bool   // the cluster is not OpenShift
}

// release matches a minor release of OpenShift 4.
var release = lazyregexp.New(`^4\.([0-9]{1,2})$`)

// The minor versions of the oldest and newest release of OpenShift that the charts and the tables of versions know.
const (
	oldestRelease = 18
	newestRelease = 23
)

// DecodeNode reads a boolean or a release.
func (o *OpenShift) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	switch {
	case n.Kind == source.Bool:
		o.Absent = n.Text == "false"
	case n.Kind == source.String && release().MatchString(n.Text):
		o.Release = n.Text
		if minor, _ := strconv.Atoi(strings.TrimPrefix(n.Text, "4.")); minor < oldestRelease || minor > newestRelease {
			diags.Warnf(n.Pos(), rule.UnknownVersion, path.String(), "release %q is not one that vmrender has rules for, "+
				"4.%d to 4.%d: what it has may be wrong", n.Text, oldestRelease, newestRelease)
		}
	default:
		diags.Errorf(n.Pos(), rule.BadVersion, path.String(),
			`invalid release %q; expected true, false, or a release in quotes such as "4.20"`, n.Text)
	}
}

// The minor versions of Kubernetes 1 and of KubeVirt 1 are that of OpenShift 4 and these:
// OpenShift 4.20 is Kubernetes 1.33, and OpenShift Virtualization 4.20 is KubeVirt 1.6
// (kubevirt/hyperconverged-cluster-operator, hack/config of release-1.16).
const (
	toKubernetes = 13
	toKubeVirt   = -14
)

// Kubernetes returns the version of Kubernetes of the release, or "" if it is unknown.
func (o *OpenShift) Kubernetes() string { return o.version(toKubernetes) }

// KubeVirt returns the version of KubeVirt that OpenShift Virtualization of the release
// has, or "" if it is unknown.
func (o *OpenShift) KubeVirt() string { return o.version(toKubeVirt) }

// version returns the version 1 with the release's minor version and a difference.
func (o *OpenShift) version(more int) string {
	m := release().FindStringSubmatch(o.Release)
	if m == nil {
		return ""
	}
	minor, err := strconv.Atoi(m[1])
	if err != nil || minor+more < 0 {
		return ""
	}
	return "1." + strconv.Itoa(minor+more)
}
