package exports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// Problem is a reason for which an object cannot be read as VMs.
type Problem struct {
	Object manifest.ID // empty for a parameter that no template has
	Path   string      // of the field in the object, such as parameters[NAME]; may be empty
	Text   string      // what is wrong, and what helps
}

// String returns the problem with the object and the path in front of it.
func (p Problem) String() string {
	text := p.Text
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Object != (manifest.ID{}) {
		text = p.Object.String() + ": " + text
	}
	return text
}

// Expand replaces templates among objects by the objects that they create: OpenShift's
// Template (openshift/library-go, pkg/template/templateprocessing) and KubeVirt's
// VirtualMachineTemplate (kubevirt/virt-template e5d8e40,
// staging/src/kubevirt.io/virt-template-engine/template). All others stay, in their order.
//
// Params are values of parameters by name, which come before the defaults of the templates.
// A parameter that is used, and is generated or required, needs one: what was generated
// for a VM that exists is not known. As for both processors, a namespace that is no
// parameter is left out. The problems are sorted, and an object with one is left out.
func Expand(objects []manifest.Object, params map[string]string) ([]manifest.Object, []Problem) {
	x := expansion{given: params, known: map[string]bool{}}
	var out []manifest.Object
	for _, o := range objects {
		b, isTemplate := blueprintOf(o)
		if !isTemplate {
			out = append(out, o)
			continue
		}
		out = append(out, x.expand(b)...)
	}
	x.unknown()
	slices.SortFunc(x.problems, func(a, b Problem) int {
		return cmp.Or(a.Object.Compare(b.Object), strings.Compare(a.Path, b.Path), strings.Compare(a.Text, b.Text))
	})
	return out, slices.Compact(x.problems)
}

// blueprint is a template: the objects that it creates, and its parameters.
type blueprint struct {
	id         manifest.ID
	at         string // path of the parameters
	parameters []any
	objects    []any
	labels     tree // for all objects
}

// blueprintOf returns the blueprint that an object is.
func blueprintOf(o manifest.Object) (blueprint, bool) {
	switch {
	case o.Kind == "Template" && (o.Group() == "template.openshift.io" || o.APIVersion == "v1"):
		t := o.Tree()
		parameters, objects := manifest.List(t, "parameters"), manifest.List(t, "objects")
		return blueprint{o.ID, "parameters", parameters, objects, manifest.Map(t, "labels")}, true
	case o.Kind == "VirtualMachineTemplate" && o.Group() == "template.kubevirt.io":
		t := o.Tree()
		vm := tree{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}
		maps.Copy(vm, manifest.Map(t, "spec", "virtualMachine"))
		return blueprint{o.ID, "spec.parameters", manifest.List(t, "spec", "parameters"), []any{vm}, nil}, true
	}
	return blueprint{}, false
}

// expansion is what was expanded so far.
type expansion struct {
	given    map[string]string
	known    map[string]bool // parameters of any template
	problems []Problem
}

// expand returns the objects of a template.
func (x *expansion) expand(b blueprint) []manifest.Object {
	f := filling{values: map[string]string{}, missing: map[string]string{}}
	for _, p := range b.parameters {
		name := manifest.Text(p, "name")
		x.known[name] = true
		f.parameter(p, x.given)
	}
	var out []manifest.Object
	for i, v := range b.objects {
		f.failed = nil
		made, err := f.object(v, b.labels)
		for _, name := range slices.Compact(slices.Sorted(slices.Values(f.failed))) {
			x.problems = append(x.problems, Problem{b.id, b.at + "[" + name + "]", f.why(name)})
		}
		if err != nil {
			x.problems = append(x.problems, Problem{b.id, "object " + strconv.Itoa(i+1), err.Error()})
		}
		if err == nil && f.failed == nil {
			out = append(out, made)
		}
	}
	return out
}

// unknown adds the given parameters that no template has.
func (x *expansion) unknown() {
	known := slices.Sorted(maps.Keys(x.known))
	for _, name := range slices.Sorted(maps.Keys(x.given)) {
		if !x.known[name] {
			problem := fmt.Sprintf("no template has the parameter %q", name)
			if len(known) > 0 {
				problem += "; " + suggest.DidYouMean(name, known)
			}
			x.problems = append(x.problems, Problem{Text: problem})
		}
	}
}

// filling fills values into the objects of one template.
type filling struct {
	values  map[string]string
	missing map[string]string // parameters without a value, and why they need one
	failed  []string          // parameters without a value that the object uses
}

// parameter sets the value of a parameter.
func (f *filling) parameter(p any, given map[string]string) {
	name, value := manifest.Text(p, "name"), manifest.Text(p, "value")
	own, isGiven := given[name]
	switch required, _ := manifest.At(p, "required").(bool); {
	case isGiven:
		f.values[name] = own
	case value != "":
		f.values[name] = value
	case manifest.Text(p, "generate") != "":
		f.missing[name] = "the template generates another value each time"
	case required:
		f.missing[name] = "the template has no default"
	default:
		f.values[name] = ""
	}
}

// why explains why a parameter has no value, and how to give it one.
func (f *filling) why(name string) string {
	why, isDeclared := f.missing[name]
	if !isDeclared {
		return "an object uses this parameter, and the template does not declare it; add it to the template"
	}
	return fmt.Sprintf("%s; specify the one of the VM: --param %s=VALUE", why, name)
}

// object returns an object of the template with its values.
func (f *filling) object(v any, labels tree) (manifest.Object, error) {
	template, ok := v.(tree)
	if !ok {
		return manifest.Object{}, fmt.Errorf("not an object; an object is a map with apiVersion, kind and metadata.name")
	}
	template = withLabels(withoutNamespace(template), labels)
	made, _ := f.fill(template).(tree)
	o, err := manifest.New(made)
	switch {
	case err != nil:
		return o, err
	case len(o.JSON) > maxObject:
		return o, fmt.Errorf("larger than %d MiB, which Kubernetes does not store", maxObject>>20)
	case f.failed == nil && (o.APIVersion == "" || o.Kind == "" || o.Name == ""):
		return o, fmt.Errorf("every object has apiVersion, kind and metadata.name")
	}
	return o, nil
}

// withoutNamespace returns an object without its namespace, unless that is a parameter.
func withoutNamespace(o tree) tree {
	if parameter().MatchString(manifest.Text(o, "metadata", "namespace")) {
		return o
	}
	meta := maps.Clone(manifest.Map(o, "metadata"))
	delete(meta, "namespace")
	return with(o, "metadata", meta)
}

// withLabels returns an object with more labels, which come before its own.
func withLabels(o, labels tree) tree {
	if len(labels) == 0 {
		return o
	}
	all := tree{}
	maps.Copy(all, manifest.Map(o, "metadata", "labels"))
	maps.Copy(all, labels)
	return with(o, "metadata", with(manifest.Map(o, "metadata"), "labels", all))
}

// with returns a copy of a tree in which one key has another value.
func with(t tree, key string, value tree) tree {
	out := tree{}
	maps.Copy(out, t)
	out[key] = value
	return out
}

// The placeholders: ${NAME} anywhere in a string, and ${{NAME}} as the whole string for a value that
// is not a string.
var (
	parameter = lazyregexp.New(`\$\{([a-zA-Z0-9_]+)\}`)
	value     = lazyregexp.New(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

// fill returns a value in which the placeholders have their values, also in keys.
func (f *filling) fill(v any) any {
	switch v := v.(type) {
	case tree:
		out := make(tree, len(v))
		for key, below := range v {
			out[f.text(key)] = f.fill(below)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = f.fill(below)
		}
		return out
	case string:
		if m := value().FindStringSubmatch(v); m != nil {
			return plain(f.lookup(m[1]))
		}
		return f.text(v)
	}
	return v
}

func (f *filling) text(s string) string {
	return replaceAll(parameter(), s, f.lookup)
}

// lookup returns the value of a parameter.
func (f *filling) lookup(name string) string {
	v, ok := f.values[name]
	if !ok {
		f.failed = append(f.failed, name)
	}
	return v
}

// replaceAll replaces the matches of an expression by the replacement of its group.
func replaceAll(expr *regexp.Regexp, s string, by func(group string) string) string {
	return expr.ReplaceAllStringFunc(s, func(match string) string {
		return by(expr.FindStringSubmatch(match)[1])
	})
}

// plain returns the value whose JSON a text is, or the text.
func plain(s string) any {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || v == nil || d.More() {
		return s
	}
	return v
}
