package impact

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/labels"
)

// isAdopted reports whether a cause of an object that is new in Git, and in the cluster, is
// only that vmrender and Argo CD mark it as theirs.
func (s *Subject) isAdopted(c *diff.Change, of *Cause) bool {
	return s.TakenOver && isMark(c) && of.Level <= Metadata && !of.Warning
}

// isMark reports whether a change adds a label or an annotation that vmrender and Argo CD
// put on objects. One that has another value there belongs to another tool.
func isMark(c *diff.Change) bool {
	if c.Was != nil || len(c.Path) != 3 || c.Path[0] != "metadata" {
		return false
	}
	key := c.Path[2]
	switch c.Path[1] {
	case "labels":
		return key == "app" || key == labels.ManagedBy || key == LabelProtected || labels.IsReserved(key)
	case "annotations":
		return strings.HasPrefix(key, argocd.AnnotationPrefix) || labels.IsReserved(key)
	}
	return false
}

// LabelProtected makes OpenShift refuse to delete a VM (kubevirt/ssp-operator, OpenShift 4.19 and later).
const LabelProtected = "kubevirt.io/vm-delete-protection"
