package layers

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// patch applies the layer's patches to the rendered objects, one operation after the
// other. It stops at the first that does not apply to an object and reports it, because
// later ones may depend on it.
func (l *layer) patch(objects []manifest.Object, diags *source.Diagnostics) {
	docs := map[*manifest.Object]*patch.Document{}
	for i := range l.Patches {
		p := &l.Patches[i]
		if p.Check() != nil {
			continue // reported where it was read
		}
		path := source.IndexPath(l.path+".patches", i)
		for _, o := range l.targets(p.Target, objects, p.Pos, path, diags) {
			if err := apply(&p.Operation, o, docs); err != nil {
				diags.Errorf(p.Pos, rule.Patch, path, "%s: %v", o.ID, err)
				return
			}
		}
	}
}

// apply applies an operation to an object. docs contains the objects that were changed
// before.
func apply(op *patch.Operation, o *manifest.Object, docs map[*manifest.Object]*patch.Document) error {
	if docs[o] == nil {
		tree, err := treeOf(o)
		if err != nil {
			return err
		}
		docs[o] = &patch.Document{Tree: tree}
	}
	if err := docs[o].Apply(op); err != nil {
		return err
	}
	if !replace(o, docs[o].Tree) {
		return fmt.Errorf("%s: the result is another object; apiVersion, kind, namespace and name must stay", op)
	}
	return nil
}

func treeOf(o *manifest.Object) (*source.Node, error) {
	return patch.FromJSON(o.JSON, new(source.Node))
}

// replace sets an object to a tree if that is the same object, and reports whether it
// is.
func replace(o *manifest.Object, tree *source.Node) bool {
	read, err := manifest.Read(bytes.NewReader(source.AppendJSON(nil, tree)))
	if err != nil || len(read) != 1 || read[0].ID != o.ID {
		return false
	}
	*o = read[0]
	return true
}

// targets returns the objects that a patch or an ignored field refers to, and reports
// an error if there are none, or too many.
func (l *layer) targets(
	t *Object, objects []manifest.Object, at source.Pos, path string, diags *source.Diagnostics,
) []*manifest.Object {
	var found []*manifest.Object
	for i := range objects {
		if t == nil || t.matches(objects[i].ID) {
			found = append(found, &objects[i])
		}
	}
	switch {
	case t == nil && len(found) > 1:
		diags.Errorf(at, rule.Target, path,
			"the layer renders %d objects; expected `target: {kind: KIND, name: NAME}`", len(found))
		return nil
	case len(found) == 0 && t != nil:
		diags.Errorf(at, rule.Target, path+".target",
			"%s", suggest.Later(fmt.Sprintf("the layer renders no %s", t), t.String(), len(objects),
				func() []string { return t.likes(objects) }))
	case len(found) == 0:
		diags.Errorf(at, rule.Target, path, "the layer renders nothing")
	}
	return found
}

func (t *Object) matches(id manifest.ID) bool {
	return t.Kind == id.Kind && (t.Name == "" || t.Name == id.Name) && (t.Namespace == "" || t.Namespace == id.Namespace)
}

// String returns the name of the object in messages.
func (t *Object) String() string {
	if t.Name == "" {
		return t.Kind
	}
	return manifest.ID{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}.String()
}

// likes returns the names that could have been meant: objects, or kinds if only a kind
// was given.
func (t *Object) likes(objects []manifest.Object) []string {
	out := make([]string, 0, len(objects))
	for _, o := range objects {
		name := o.String()
		if t.Name == "" {
			name = o.Kind
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// identity are the pointers to the fields that identify an object.
var identity = []string{"", "/apiVersion", "/kind", "/metadata", "/metadata/name", "/metadata/namespace"}

// ignored is an object with pointers to the fields that Argo CD ignores.
type ignored struct {
	manifest.ID
	pointers []string
}

// dropIgnored removes the ignored fields from the rendered objects, and returns them by
// object, in the order of the objects.
func (l *layer) dropIgnored(objects []manifest.Object, diags *source.Diagnostics) []ignored {
	byObject := map[manifest.ID][]string{}
	for i := range l.IgnoreFields {
		f := &l.IgnoreFields[i]
		at, path := l.itemAt("ignoreFields", i), source.IndexPath(l.path+".ignoreFields", i)
		if slices.Contains(identity, f.Pointer) {
			diags.Errorf(at, rule.Pointer, path,
				"%q cannot be ignored; expected a pointer to a field, such as \"/spec/size\"", f.Pointer)
			continue
		}
		for _, o := range l.targets(f.Target, objects, at, path, diags) {
			if err := drop(o, f.Pointer); err != nil {
				diags.Errorf(at, rule.Pointer, path, "%q: %v", f.Pointer, err)
				continue
			}
			byObject[o.ID] = append(byObject[o.ID], f.Pointer)
		}
	}
	var out []ignored
	for _, o := range objects {
		if pointers := byObject[o.ID]; pointers != nil {
			out = append(out, ignored{o.ID, pointers})
		}
	}
	return out
}

// drop removes a field, if it exists.
func drop(o *manifest.Object, pointer string) error {
	tree, err := treeOf(o)
	if err != nil {
		return err
	}
	if found, err := patch.Find(tree, pointer); found == nil {
		return err
	}
	remove := patch.Operation{Op: "remove", Path: pointer}
	return apply(&remove, o, map[*manifest.Object]*patch.Document{o: {Tree: tree}})
}
