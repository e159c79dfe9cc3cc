package cluster

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Within returns of a value the fields that one of two others has. Of lists with names,
// it keeps all entries, and of other lists those of the same place.
func Within(v, a, b any) any {
	switch v := v.(type) {
	case manifest.Tree:
		x, isA := a.(manifest.Tree)
		y, isB := b.(manifest.Tree)
		if !isA && !isB {
			return v
		}
		out := manifest.Tree{}
		for k, value := range v {
			_, inA := x[k]
			if _, inB := y[k]; inA || inB {
				out[k] = Within(value, x[k], y[k])
			}
		}
		return out
	case []any:
		return entriesWithin(v, a, b)
	}
	return v
}

func entriesWithin(l []any, a, b any) []any {
	x, _ := a.([]any)
	y, _ := b.([]any)
	out := make([]any, len(l))
	byA, okA := manifest.Keyed(x)
	byB, okB := manifest.Keyed(y)
	_, named := manifest.Keyed(l)
	for i, v := range l {
		switch name := "[" + manifest.EntryName(v) + "]"; {
		case named && okA && okB && byA[name] == nil && byB[name] == nil:
			out[i] = v
		case named && okA && okB:
			out[i] = Within(v, byA[name], byB[name])
		default:
			out[i] = Within(v, item(x, i), item(y, i))
		}
	}
	return out
}

func item(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return nil
}

// LastApplied is the annotation in which client-side apply records what it has applied.
const LastApplied = corev1.LastAppliedConfigAnnotation

// delivers reports whether a field manager is Argo CD or Flux, which applies as its controller (kustomize-controller
// v1.9.5, main.go).
func delivers(manager string) bool {
	return strings.HasPrefix(manager, "argocd") || manager == "kustomize-controller"
}

// Applied returns what Argo CD or Flux has applied last, or nil if the object does not report it.
func Applied(object manifest.Tree) manifest.Tree {
	if last := Annotation(object, LastApplied); last != "" && json.Valid([]byte(last)) {
		return manifest.Decode([]byte(last))
	}
	for _, m := range manifest.List(object, "metadata", "managedFields") {
		if delivers(manifest.Text(m, "manager")) && manifest.Text(m, "operation") == "Apply" {
			out, _ := managed(object, manifest.At(m, "fieldsV1")).(manifest.Tree)
			if out == nil {
				return nil
			}
			// An empty spec owns no field in it, unlike a map that is owned as a whole: no spec is.
			if spec, ok := manifest.At(m, "fieldsV1", "f:spec").(manifest.Tree); ok && len(spec) == 0 {
				out["spec"] = manifest.Tree{}
			}
			out["apiVersion"], out["kind"] = object["apiVersion"], object["kind"]
			return out
		}
	}
	return nil
}

// managed returns the part of a value that a set of fields (metav1.FieldsV1) names.
func managed(v, fields any) any {
	set, _ := fields.(manifest.Tree)
	switch v := v.(type) {
	case manifest.Tree:
		if len(set) == 0 {
			return v
		}
		out := manifest.Tree{}
		for k, value := range v {
			if below, ok := set["f:"+k]; ok {
				out[k] = managed(value, below)
			}
		}
		return out
	case []any:
		if len(set) == 0 {
			return v
		}
		var out []any
		for _, entry := range v {
			if below, ok := set[`k:{"name":"`+manifest.EntryName(entry)+`"}`]; ok {
				out = append(out, managed(entry, below))
			}
		}
		return out
	}
	return v
}

// AuthorOf returns the client other than Argo CD and Flux that set a field of an object last, and the
// time; both are "" if the cluster does not report it.
func AuthorOf(object manifest.Tree, path []string) (name, when string) {
	for _, m := range manifest.List(object, "metadata", "managedFields") {
		manager, time := manifest.Text(m, "manager"), manifest.Text(m, "time")
		if !delivers(manager) && time >= when && manages(manifest.At(m, "fieldsV1"), path) {
			name, when = manager, time
		}
	}
	return name, when
}

// manages reports whether a set of fields (metav1.FieldsV1) has a path, or a list as a
// whole that it leads into.
func manages(fields any, path []string) bool {
	set, isSet := fields.(manifest.Tree)
	for i, segment := range path {
		field := "f:" + segment
		if strings.HasPrefix(segment, "[") {
			field = `k:{"name":"` + strings.Trim(segment, "[]") + `"}`
		}
		below, ok := set[field].(manifest.Tree)
		if !ok {
			return i > 0 && isSet && len(set) == 0
		}
		set = below
	}
	return isSet
}
