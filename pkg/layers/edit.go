package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// patch applies the layer's patches to what it renders, one operation after the
// other. The first that does not apply to an object is reported; those after it
// may depend on it.
func (l *layer) patch(objects []manifest.Object, diags *source.Diagnostics) {
	for i := range l.Patches {
		p := &l.Patches[i]
		at, path := l.itemAt("patches", i), source.IndexPath(l.path+".patches", i)
		for _, o := range l.targets(p.Target, objects, at, path, diags) {
			if err := p.apply(o); err != nil {
				diags.Errorf(at, "patch", path, "%s does not apply to %s: %v", p, o.ID, err)
				return
			}
		}
	}
}

// String returns the operation as messages name it.
func (p *Patch) String() string { return p.Op + " " + p.Path }

// apply changes an object. It must stay the same object.
func (p *Patch) apply(o *manifest.Object) error {
	text, err := p.operation()
	if err != nil {
		return err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return err
	}
	out, err := patch.Apply(o.JSON)
	switch {
	case errors.Is(err, jsonpatch.ErrMissing):
		return errors.New("the object has no such path")
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return errors.New("the object has another value there")
	case err != nil:
		return err
	}
	return replace(o, out)
}

// operation is the patch in the words of RFC 6902.
func (p *Patch) operation() ([]byte, error) {
	op := map[string]any{"op": p.Op, "path": p.Path}
	for _, pointer := range []string{p.Path, p.From} {
		if pointer != "" && pointer[0] != '/' {
			return nil, fmt.Errorf("%q is not a pointer; expected one that starts with \"/\", such as \"/spec/size\"", pointer)
		}
	}
	switch {
	case p.Op == "move" || p.Op == "copy":
		if p.From == "" {
			return nil, errors.New("missing `from`; expected the path to take the value from")
		}
		op["from"] = p.From
	case p.Op != "remove":
		if p.Value == nil {
			return nil, errors.New("missing value; to drop a key, use `op: remove`")
		}
		op["value"] = json.RawMessage(source.AppendJSON(nil, p.Value))
	}
	return json.Marshal([]any{op})
}

// replace takes changed JSON for an object.
func replace(o *manifest.Object, text []byte) error {
	read, err := manifest.Read(bytes.NewReader(text))
	if err != nil || len(read) != 1 || read[0].ID != o.ID {
		return errors.New("the result is another object; apiVersion, kind, namespace and name must stay")
	}
	*o = read[0]
	return nil
}

// targets finds the objects that a patch or an ignored field is for.
func (l *layer) targets(t *Object, objects []manifest.Object, at source.Pos, path string, diags *source.Diagnostics) []*manifest.Object {
	var found []*manifest.Object
	for i := range objects {
		if t == nil || t.matches(objects[i].ID) {
			found = append(found, &objects[i])
		}
	}
	switch {
	case t == nil && len(found) > 1:
		diags.Errorf(at, "target", path, "the layer renders %d objects; expected `target: {kind: KIND, name: NAME}`", len(found))
		return nil
	case len(found) == 0 && t != nil:
		diags.Errorf(at, "target", path+".target", "the layer renders no %s; %s", t, source.DidYouMean(t.String(), t.likes(objects)))
	case len(found) == 0:
		diags.Errorf(at, "target", path, "the layer renders nothing")
	}
	return found
}

func (t *Object) matches(id manifest.ID) bool {
	return t.Kind == id.Kind && (t.Name == "" || t.Name == id.Name) && (t.Namespace == "" || t.Namespace == id.Namespace)
}

// String returns the object as messages name it.
func (t *Object) String() string {
	if t.Name == "" {
		return t.Kind
	}
	return manifest.ID{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}.String()
}

// likes are what could have been meant: objects, or kinds where only a kind was named.
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

// identity are the fields that make an object what it is.
var identity = []string{"", "/apiVersion", "/kind", "/metadata", "/metadata/name", "/metadata/namespace"}

// ignored is one object with the fields that are left to somebody else.
type ignored struct {
	manifest.ID
	pointers []string
}

// dropIgnored takes the ignored fields out of what the layer renders, and
// returns them by object, in the order of the objects.
func (l *layer) dropIgnored(objects []manifest.Object, diags *source.Diagnostics) []ignored {
	byObject := map[manifest.ID][]string{}
	for i := range l.IgnoreFields {
		f := &l.IgnoreFields[i]
		at, path := l.itemAt("ignoreFields", i), source.IndexPath(l.path+".ignoreFields", i)
		if !strings.HasPrefix(f.Pointer, "/") || slices.Contains(identity, f.Pointer) {
			diags.Errorf(at, "pointer", path, "%q cannot be ignored; expected a pointer to a field, such as \"/spec/size\"", f.Pointer)
			continue
		}
		for _, o := range l.targets(f.Target, objects, at, path, diags) {
			if err := drop(o, f.Pointer); err != nil {
				diags.Errorf(at, "pointer", path, "%q: %v", f.Pointer, err)
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

// drop removes a field that may not be there.
func drop(o *manifest.Object, pointer string) error {
	text, err := json.Marshal([]any{map[string]string{"op": "remove", "path": pointer}})
	if err != nil {
		return err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return err
	}
	options := jsonpatch.NewApplyOptions()
	options.AllowMissingPathOnRemove = true
	out, err := patch.ApplyWithOptions(o.JSON, options)
	if err != nil {
		return err
	}
	return replace(o, out)
}
