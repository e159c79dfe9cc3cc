package values

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Plus is the end of a key whose list is appended to the inherited one: `packages+`.
const Plus = "+"

// listRefs are the forms of free values that are lists, by their tag `ref`.
var listRefs = []string{"tolerations", "topologySpreadConstraints", "accessCredentials"}

// IsList reports whether a key is a list, which [Plus] appends to.
func IsList(f reflect.StructField) bool {
	return f.Type.Kind() == reflect.Slice || slices.Contains(listRefs, f.Tag.Get("ref"))
}

// listTree contains the lists at and below a VM key. Free values and the items of lists, which do not merge, have none.
type listTree struct {
	list bool
	keys map[string]*listTree // of a map with fixed keys
	each *listTree            // of the values of any other map
}

var listsOfVM = sync.OnceValue(func() *listTree { return listsOf(reflect.TypeFor[VM]()) })

func listsOf(t reflect.Type) *listTree {
	switch {
	case t.Kind() == reflect.Pointer:
		return listsOf(t.Elem())
	case t.Kind() == reflect.Map:
		return &listTree{each: listsOf(t.Elem())}
	case t.Kind() != reflect.Struct || t == reflect.TypeFor[source.Node]():
		return &listTree{}
	}
	tree := &listTree{keys: map[string]*listTree{}}
	for f := range t.Fields() {
		switch key := Key(f); {
		case key == "":
		case IsList(f):
			tree.keys[key] = &listTree{list: true}
		default:
			tree.keys[key] = listsOf(f.Type)
		}
	}
	return tree
}

// below returns the lists below a key.
func (t *listTree) below(key string) *listTree {
	if of := t.keys[key]; of != nil {
		return of
	}
	if t.each != nil {
		return t.each
	}
	return &listTree{}
}

// lists returns the keys that are lists, as those that append to them.
func (t *listTree) lists() []string {
	var out []string
	for key, of := range t.keys {
		if of.list {
			out = append(out, key+Plus)
		}
	}
	slices.Sort(out)
	return out
}

// Appended returns VM keys, as written, in which a KEY+ is the KEY: its list is marked as [source.Appended], and so
// appended to that of the levels below. It reports, and leaves out, those that nothing can be appended to. path is the
// path of the keys. Keys without a KEY+ are returned as they are, at no cost.
func Appended(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	if keys == nil || !keys.Plus {
		return keys
	}
	return (&appending{diags}).in(keys, path, listsOfVM())
}

type appending struct{ diags *source.Diagnostics }

func (a *appending) in(n *source.Node, path string, tree *listTree) *source.Node {
	out := *n
	out.Fields = make([]source.Field, 0, len(n.Fields))
	for i := range n.Fields {
		f := n.Fields[i]
		name, isPlus := strings.CutSuffix(f.Key, Plus)
		switch {
		case isPlus && tree.keys != nil:
			if a.report(n, &f, source.JoinPath(path, f.Key), tree) {
				continue
			}
			f.Key, f.Value = name, appended(f.Value)
		case f.Value.Plus:
			f.Value = a.in(f.Value, source.JoinPath(path, f.Key), tree.below(f.Key))
		}
		out.Fields = append(out.Fields, f)
	}
	return &out
}

func appended(n *source.Node) *source.Node {
	out := *n
	out.Style = source.Appended
	return &out
}

// report reports what is wrong with the KEY+ f of a map, and returns whether there is something. path is that of f.
func (a *appending) report(n *source.Node, f *source.Field, path string, tree *listTree) bool {
	name := strings.TrimSuffix(f.Key, Plus)
	of := tree.keys[name]
	errorf := func(id rule.ID, format string, args ...any) bool {
		a.diags.Errorf(f.Pos(), id, path, format, args...)
		return true
	}
	switch {
	case of == nil:
		return errorf(rule.UnknownKey, "unknown key %q; %s", f.Key, suggest.DidYouMean(f.Key, tree.lists()))
	case !of.list:
		return errorf(rule.UnknownKey, "unknown key %q: %q is not a list, so nothing can be appended to it; use %q",
			f.Key, name, name)
	case n.Field(name) != nil:
		return errorf(rule.Conflict, "%q appends to the inherited list, which %q at %s replaces; remove one of them",
			f.Key, name, n.Field(name).Pos())
	case f.Value.Kind == source.Null:
		return errorf(rule.WrongType, "no list to append; expected a list, or %q to remove the inherited one", name+": null")
	case f.Value.Kind != source.List:
		return errorf(rule.WrongType, "wrong type; expected a list, whose items are appended")
	}
	return false
}

// Spelled returns VM keys, from [Appended], as they are written: a list that is appended is the value of a KEY+.
func Spelled(keys *source.Node) *source.Node {
	if keys == nil || keys.Kind != source.Map {
		return keys
	}
	out := keys.WithFields()
	for i := range out.Fields {
		f := &out.Fields[i]
		if f.Value.Style == source.Appended {
			f.Key += Plus
		} else {
			f.Value = Spelled(f.Value)
		}
	}
	return out
}
