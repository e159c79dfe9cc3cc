package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
)

// Field returns a changed field: of a VM, a pool or a disk as the rules name it, which is what the values file has, and
// of other objects by its whole path.
func (s *Subject) Field(c *diff.Change) FieldStatus {
	rules := ObjectRules()
	switch s.kind() {
	case cluster.KindVM:
		rules = MachineRules()
	case cluster.KindPool, cluster.KindDataVolume, cluster.KindClaim:
	default:
		rules = nil
	}
	e := &Edit{*c, s}
	r, n := Find(rules, e)
	if r == nil {
		return FieldStatus{Path: diff.Display(c.Path), Is: shown(c.Path, c.Was), Wanted: shown(c.Path, c.Now)}
	}
	cause := r.Cause(e, n)
	return FieldStatus{Path: cause.Path, Key: cause.Key, Is: cause.Old, Wanted: cause.New}
}

// CompactFields leaves each field once: of several changes within one, the first.
func CompactFields(fields []FieldStatus) []FieldStatus {
	var out []FieldStatus
	for _, f := range fields {
		if !slices.ContainsFunc(out, func(o FieldStatus) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}

// FieldStatus is a field that is not as Git, or the VM's specification, has it.
type FieldStatus struct {
	// Path of the field, as in [Cause].
	Path string
	// Key is the key of the values file that sets it, such as "memory"; it may be empty.
	Key string
	// Is and Wanted are the values as compact JSON, cut and without secrets; empty if there
	// Is no value.
	Is, Wanted string
	// By is the client that set it, and At the time, in RFC 3339; empty if the cluster does
	// not report it.
	By, At string
}

// instancePrefixes are the beginnings of paths that mean nothing to the user, the longest first.
var instancePrefixes = []string{
	"spec.template.spec.domain.devices.", "spec.template.spec.domain.", "spec.template.spec.", "spec.",
}

// Label returns the field in the words of the values file.
func (f *FieldStatus) Label() string {
	if f.Key != "" {
		return f.Key
	}
	for _, prefix := range instancePrefixes {
		if rest, ok := strings.CutPrefix(f.Path, prefix); ok {
			return rest
		}
	}
	return f.Path
}

// LabelsOf returns the fields for users, each once: "memory, tpm".
func LabelsOf(fields []FieldStatus) string {
	var out []string
	for i := range fields {
		if l := fields[i].Label(); !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, ", ")
}

// compared returns the field with both values: "spec.x is 120, and 150 in Git (kubectl, 2026-11-22T03:00:00Z)".
func (f *FieldStatus) compared() string {
	is, wanted := cmp.Or(f.Is, "not set"), cmp.Or(f.Wanted, "not set")
	return f.Path + " is " + is + ", and " + wanted + " in Git" + f.Author()
}

// Author returns who has changed the field, in brackets, or "".
func (f *FieldStatus) Author() string {
	if f.By == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", wording.Sentence(f.By), f.At)
}

// ComparedAll returns the first fields with both values, and the number of the others.
func ComparedAll(fields []FieldStatus) string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].compared()
	}
	if len(out) > wording.Most {
		out = append(out[:wording.Most], wording.Plural(len(fields)-wording.Most, "more field", "more fields"))
	}
	return strings.Join(out, "; ")
}
