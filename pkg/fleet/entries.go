package fleet

import (
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/source"
)

// chunk is how many VMs of one file are resolved by one task.
const chunk = 256

// loadFile reads one values file and resolves its VMs.
func (l *loader) loadFile(path string, below *level) {
	var diags source.Diagnostics
	docs := parseFile(path, &diags)
	l.loadDocs(path, docs, below, &diags)
	if diags.Len() > 0 {
		l.keep(nil, &diags)
	}
}

func (l *loader) loadDocs(path string, docs []*source.Node, below *level, diags *source.Diagnostics) {
	empty := true
	for _, doc := range docs {
		if doc.Kind == source.Null {
			continue
		}
		empty = false
		l.loadDoc(path, doc, below, diags)
	}
	if empty && !diags.HasErrors() {
		diags.Errorf(source.Pos{File: path}, "empty-file", "", "empty file; a values file holds VMs under `vms`")
	}
}

func (l *loader) loadDoc(path string, doc *source.Node, below *level, diags *source.Diagnostics) {
	if doc.Kind != source.Map {
		diags.Errorf(doc.Pos(), "wrong-type", "", "wrong type; a values file is a map with the key `vms`")
		return
	}
	if foreign(doc, diags) {
		return
	}
	if doc.Get("vms") == nil {
		withoutVMs(doc, diags)
		return
	}
	source.Decode(withoutLevels(doc), new(File), "", diags)
	lv := newLevel("file "+filepath.ToSlash(path), below, docKeys(doc, diags, "vars", "namespace"), "defaults", l.set, diags)
	l.loadEntries(doc.Field("vms"), lv, diags)
}

// withoutVMs reports a file that was probably not meant to hold any VMs, whose
// keys need not be known then, or in which the key is mistyped.
func withoutVMs(doc *source.Node, diags *source.Diagnostics) {
	for i := range doc.Fields {
		f := &doc.Fields[i]
		if near, _ := source.Nearest(f.Key, []string{"vms", "vars", "namespace", "defaults"}); near == "vms" {
			diags.Errorf(f.Pos(), "unknown-key", f.Key, "unknown key %q; did you mean \"vms\"?", f.Key)
			return
		}
	}
	if !diags.HasErrors() { // else it may be among what was not understood
		diags.Errorf(doc.Pos(), "no-vms", "", "no `vms` in this file; name VMs under `vms`, or list the file under `ignore` in %s", headerName)
	}
}

// foreign reports a Kubernetes manifest among the values files.
func foreign(doc *source.Node, diags *source.Diagnostics) bool {
	kind := doc.Field("kind")
	if kind == nil || doc.Field("vms") != nil && kind.Value.Text == Kind {
		return false
	}
	diags.Errorf(kind.Value.Pos(), "not-values", "kind", "a %s is not a values file; list the file under `ignore` in %s", kind.Value.Text, headerName)
	return true
}

// loadEntries resolves the VMs of one `vms` map, large ones in parallel.
func (l *loader) loadEntries(field *source.Field, below *level, diags *source.Diagnostics) {
	if field == nil {
		return
	}
	vms := field.Value
	switch {
	case vms.Kind == source.Null || vms.Kind == source.Map && len(vms.Fields) == 0:
		if !l.header.AllowEmpty {
			diags.Errorf(field.Pos(), "no-vms", "vms", "no VMs; remove the file, or set `allowEmpty: true` in %s", headerName)
		}
		return
	case vms.Kind != source.Map:
		diags.Errorf(vms.Pos(), "wrong-type", "vms", "wrong type; expected a map of VMs by name")
		return
	}
	below = l.given.onto(below)
	if len(vms.Fields) <= chunk {
		l.keep(l.resolveAll(vms.Fields, below, diags), nil)
		return
	}
	for start := 0; start < len(vms.Fields); start += chunk {
		part := vms.Fields[start:min(start+chunk, len(vms.Fields))]
		l.pool.share(len(part), func() {
			var own source.Diagnostics
			l.keep(l.resolveAll(part, below, &own), &own)
		})
	}
}

func (l *loader) resolveAll(fields []source.Field, below *level, diags *source.Diagnostics) []*record {
	records := make([]*record, 0, len(fields))
	for i := range fields {
		records = l.resolveEntry(records, &fields[i], below, diags)
	}
	return records
}
