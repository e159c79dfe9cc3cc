package writeback

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// writers are the clients that wrote a VM, as its managedFields show.
type writers struct {
	// fields are those that a client other than Argo CD wrote (metav1.ManagedFieldsEntry, FieldsV1).
	fields []tree
	// byArgoCD is true if Argo CD wrote any.
	byArgoCD bool
}

func writersOf(vm tree) writers {
	var w writers
	for _, m := range manifest.List(vm, "metadata", "managedFields") {
		switch {
		case manifest.Text(m, "subresource") == "status":
		case strings.HasPrefix(manifest.Text(m, "manager"), "argocd"):
			w.byArgoCD = true
		default:
			w.fields = append(w.fields, manifest.Map(m, "fieldsV1"))
		}
	}
	return w
}

// isPending reports whether a field that differs from Git is one that Argo CD has not synced
// yet: it wrote the field alone, or, of a field that is not there, no other client wrote the spec.
func (w *writers) isPending(path []string, isThere bool) bool {
	if !w.byArgoCD {
		return false
	}
	if !isThere {
		path = path[:1]
	}
	return !slices.ContainsFunc(w.fields, func(f tree) bool { return wrote(f, path) })
}

// wrote reports whether fields have one at a path, above or below it.
func wrote(fields tree, path []string) bool {
	for _, key := range path {
		below, ok := fields["f:"+key].(tree)
		switch {
		case !ok:
			return false
		case len(below) == 0:
			return true
		}
		fields = below
	}
	return true
}

// synced sets the fields of a VM that Argo CD has not synced yet to those of Git.
func (w *writers) synced(t, git tree) {
	for _, path := range draft.Leaves(draft.Difference(t, git)) {
		value := draft.Reach(git, path)
		switch {
		case !w.isPending(path, draft.Reach(t, path) != nil):
		case value == nil:
			removeAt(t, path)
		default:
			last := len(path) - 1
			manifestMap(t, path[:last]...)[path[last]] = value
		}
	}
}
