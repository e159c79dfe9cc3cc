package fleet

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// chunk is the maximum number of VMs per task.
const chunk = 256

// readDocs reads the VMs of a file's documents.
func (r *reader) readDocs(path string, docs []*source.Node, below *Level, diags *source.Diagnostics) {
	empty := true
	for _, doc := range docs {
		if doc.Kind == source.Null {
			continue
		}
		empty = false
		r.readDoc(path, doc, below, diags)
	}
	if empty && !diags.HasErrors() {
		diags.Errorf(source.Pos{File: path}, rule.EmptyFile, "", "empty file; a values file holds VMs under `vms`")
	}
}

func (r *reader) readDoc(path string, doc *source.Node, below *Level, diags *source.Diagnostics) {
	if doc.Kind != source.Map {
		diags.Errorf(doc.Pos(), rule.WrongType, "", "wrong type; a values file is a map with the key `vms`")
		return
	}
	if reportForeign(doc, diags) {
		return
	}
	if doc.Get("vms") == nil {
		reportNoVMs(doc, diags)
		return
	}
	source.Decode(withoutLevels(doc, diags), new(values.File), "", diags)
	lv := r.newLevel("file "+filepath.ToSlash(path), below, docKeys(doc, diags, "vars", "namespace"), "defaults", diags)
	r.readEntries(doc.Field("vms"), lv, diags)
}

// reportNoVMs reports a file in which `vms` is mistyped, or that was probably
// not meant to contain VMs. Its other keys are not checked.
func reportNoVMs(doc *source.Node, diags *source.Diagnostics) {
	for i := range doc.Fields {
		f := &doc.Fields[i]
		if near, _ := suggest.Nearest(f.Key, []string{"vms", "vars", "namespace", "defaults"}); near == "vms" {
			diags.Errorf(f.Pos(), rule.UnknownKey, f.Key, "unknown key %q; did you mean \"vms\"?", f.Key)
			return
		}
	}
	if path := doc.Pos().File; looksLikeDefaults(path) {
		diags.Errorf(doc.Pos(), rule.NoVMs, "",
			"no `vms` in this file; rename it to %q if these are defaults of the directory", defaultsName)
	} else if !diags.HasErrors() { // otherwise the parser may have skipped it
		diags.Errorf(doc.Pos(), rule.NoVMs, "",
			"no `vms` in this file; name VMs under `vms`, or list the file under `ignore` in %s", headerName)
	}
}

// reportForeign reports a Kubernetes manifest among the values files, and
// returns whether the document is one.
func reportForeign(doc *source.Node, diags *source.Diagnostics) bool {
	kind := doc.Field("kind")
	if kind == nil || doc.Field("vms") != nil && kind.Value.Text == values.Kind {
		return false
	}
	way := ""
	if kind.Value.Text == "VirtualMachine" {
		way = "import it with `vmrender import`, or "
	}
	diags.Errorf(kind.Value.Pos(), rule.NotValues, "kind",
		"a %s is not a values file; %slist the file under `ignore` in %s", kind.Value.Text, way, headerName)
	return true
}

// readEntries reads the VMs of a `vms` map. Large maps are read in parallel.
func (r *reader) readEntries(field *source.Field, below *Level, diags *source.Diagnostics) {
	if field == nil {
		return
	}
	vms := field.Value
	switch {
	case vms.Kind == source.Null || vms.Kind == source.Map && len(vms.Fields) == 0:
		if !r.Header.AllowEmpty {
			diags.Errorf(field.Pos(), rule.NoVMs, "vms", "no VMs; remove the file, or set `allowEmpty: true` in %s", headerName)
		}
		return
	case vms.Kind != source.Map:
		diags.Errorf(vms.Pos(), rule.WrongType, "vms", "wrong type; expected a map of VMs by name")
		return
	}
	below = r.given.onto(below)
	if vms = withoutKeys(vms, diags); len(vms.Fields) == 0 {
		return
	}
	if len(vms.Fields) <= chunk {
		r.readAll(vms.Fields, below, diags)
		return
	}
	for start := 0; start < len(vms.Fields); start += chunk {
		part := vms.Fields[start:min(start+chunk, len(vms.Fields))]
		r.pool.share(len(part), func() {
			var own source.Diagnostics
			r.readAll(part, below, &own)
			r.report(&own)
		})
	}
}

func (r *reader) readAll(fields []source.Field, below *Level, diags *source.Diagnostics) {
	for _, field := range fields {
		if r.Ended() {
			return
		}
		field.Value = field.Value.Read()
		var own source.Diagnostics
		if e := r.entry(&field, below, &own); e != nil {
			r.visit(e, &own)
		}
		diags.Merge(&own)
	}
}

// withoutKeys reports keys of a VM among the VMs, which are indented too little. It returns the VMs without them, and
// without the VM that they are probably of, which seems to be empty.
func withoutKeys(vms *source.Node, diags *source.Diagnostics) *source.Node {
	misplaced := func(f source.Field) bool {
		if !values.IsKey(f.Key) {
			return false
		}
		kind := f.Value.Read().Kind
		return kind != source.Map && kind != source.Null
	}
	if !slices.ContainsFunc(vms.Fields, misplaced) {
		return vms
	}
	out, owner := *vms, "the name of a VM"
	out.Fields = nil
	for i, f := range vms.Fields {
		switch {
		case values.IsKey(f.Key):
			diags.Errorf(f.Pos(), rule.WrongType, source.JoinPath("vms", f.Key),
				"`%s` is a key of a VM; indent it below %s", f.Key, owner)
		case f.Value.Kind == source.Null && i+1 < len(vms.Fields) && values.IsKey(vms.Fields[i+1].Key):
			owner = strconv.Quote(f.Key)
		default:
			out.Fields = append(out.Fields, f)
		}
	}
	return &out
}
