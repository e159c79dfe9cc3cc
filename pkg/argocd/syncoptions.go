package argocd

import "strings"

// SyncOption is an option of [SyncOptionsAnnotation], such as Prune=false.
type SyncOption struct{ Name, Value string }

// String returns the option as the annotation has it.
func (o SyncOption) String() string {
	if o.Value == "" {
		return o.Name
	}
	return o.Name + "=" + o.Value
}

// ParseSyncOptions returns the options of an annotation, in order.
func ParseSyncOptions(annotation string) []SyncOption {
	var out []SyncOption
	for part := range strings.SplitSeq(annotation, ",") {
		if name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name != "" {
			out = append(out, SyncOption{name, value})
		}
	}
	return out
}

// FindSyncOption returns the first option of an annotation with a name; its value is
// empty if there is none.
func FindSyncOption(annotation, name string) SyncOption {
	for _, o := range ParseSyncOptions(annotation) {
		if o.Name == name {
			return o
		}
	}
	return SyncOption{Name: name}
}
