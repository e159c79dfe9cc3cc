package layers

import (
	"regexp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// OpenShift is a minor release of OpenShift such as "4.20", or whether the cluster is
// OpenShift at all.
type OpenShift struct {
	Release string // empty if unknown
	No      bool   // the cluster is not OpenShift
}

// release matches a minor release of OpenShift 4.
var release = regexp.MustCompile(`^4\.([0-9]{1,2})$`)

// DecodeNode reads a boolean or a release.
func (o *OpenShift) DecodeNode(n *source.Node, path string, diags *source.Diagnostics) {
	switch {
	case n.Kind == source.Bool:
		o.No = n.Text == "false"
	case n.Kind == source.String && release.MatchString(n.Text):
		o.Release = n.Text
	default:
		diags.Errorf(n.Pos(), rule.BadVersion, path, "invalid release %q; expected true, false, or a release in quotes "+
			`such as "4.20"`, n.Text)
	}
}

// firstKubernetes is what the minor version of Kubernetes 1 has more than that of
// OpenShift 4: OpenShift 4.20 is Kubernetes 1.33.
const firstKubernetes = 13

// kubernetes returns the version of Kubernetes of the release, or "" if it is unknown.
func (o *OpenShift) kubernetes() string {
	m := release.FindStringSubmatch(o.Release)
	if m == nil {
		return ""
	}
	minor, err := strconv.Atoi(m[1])
	if err != nil {
		return ""
	}
	return "1." + strconv.Itoa(minor+firstKubernetes)
}
