package argocd

import (
	"iter"
	"strings"
)

// SyncOption is an option of [SyncOptionsAnnotation], such as Prune=false.
type SyncOption struct{ Name, Value string }

// String returns the option as the annotation has it.
func (o SyncOption) String() string {
	if o.Value == "" {
		return o.Name
	}
	return o.Name + "=" + o.Value
}

// SyncOptions returns the options of an annotation, in order.
func SyncOptions(annotation string) iter.Seq[SyncOption] {
	return func(yield func(SyncOption) bool) {
		for rest, more := annotation, true; more; {
			var part string
			part, rest, more = strings.Cut(rest, ",")
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			if name != "" && !yield(SyncOption{name, value}) {
				return
			}
		}
	}
}

// FindSyncOption returns the first option of an annotation with a name; its value is
// empty if there is none.
func FindSyncOption(annotation, name string) SyncOption {
	for o := range SyncOptions(annotation) {
		if o.Name == name {
			return o
		}
	}
	return SyncOption{Name: name}
}
