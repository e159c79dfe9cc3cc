package fleet

import (
	"path/filepath"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// homeOf returns the namespace that the levels up to a VM's own set, or nil if none does.
func (f *Fleet) homeOf(own *Level) *source.Node {
	if n := own.nearest("namespace"); n != nil {
		return n
	}
	if os := f.osOf(own.nearest("os").Str(), own); os != nil {
		return os.Defaults.Get("namespace")
	}
	return nil
}

// move adds the level with the namespace of a VM in the environment. What `every` or
// `vms` of an overlay set is already such a namespace, and so is what the command line
// sets.
func (f *Fleet) move(e *Entry, home *source.Node) {
	if home.Str() == "" || home.Pos().File == defaultOption || f.homeOf(e.Top) != home {
		return
	}
	known, ok := f.moves.Load(home.Text)
	if !ok {
		known, _ = f.moves.LoadOrStore(home.Text, f.moved(home.Text))
	}
	if l := known.(*Level); l != nil {
		f.meet(home) // which the level replaces, and depends on
		e.Top = l.above(e.Top)
	}
}

// moved returns a level with the namespace that one of the files is in the environment,
// or nil if it is the same.
func (f *Fleet) moved(namespace string) *Level {
	if n := f.HeaderKey("namespaces", namespace); n.IsSet() {
		return namespaceLevel("namespaces", n, n.Text)
	}
	prefix, suffix := f.HeaderKey("namespacePrefix"), f.HeaderKey("namespaceSuffix")
	f.meet(suffix)
	switch {
	case prefix.Str() != "":
		return namespaceLevel("namespacePrefix", prefix, prefix.Text+namespace+suffix.Str())
	case suffix.Str() != "":
		return namespaceLevel("namespaceSuffix", suffix, namespace+suffix.Text)
	}
	return nil
}

// namespaceLevel returns a level with a namespace that is written, at least in part, at a
// value of an overlay.
func namespaceLevel(key string, at *source.Node, namespace string) *Level {
	n := *at
	n.Kind, n.Text = source.String, namespace
	keys := &source.Node{Kind: source.Map, File: at.File, Line: at.Line, Col: at.Col}
	keys.Add("namespace", &n)
	l := &Level{Name: "overlay " + filepath.ToSlash(at.File.Name) + ", " + key, Keys: keys, depth: 1}
	l.stampAs(overlayMark(-1))
	return l
}

// partOfNamespace matches what can be in front of a namespace, or after it.
var partOfNamespace = lazyregexp.New(`^[a-z0-9-]*$`)

// checkEnvironment checks the names that overlays set.
func (f *Fleet) checkEnvironment() {
	if n := f.HeaderKey("environment"); n.IsSet() && n.Kind == source.String && values.NameProblem(n.Text) != "" {
		f.diags.Errorf(n.Pos(), rule.BadName, "environment", "%s", values.NameProblem(n.Text))
	}
	for _, to := range f.HeaderKey("namespaces").Entries() {
		if problem := values.NameProblem(to.Value.Text); to.Value.Kind == source.String && problem != "" {
			f.diags.Errorf(to.Value.Pos(), rule.BadName, source.JoinPath("namespaces", to.Key), "%s", problem)
		}
	}
	for _, key := range []string{"namespacePrefix", "namespaceSuffix"} {
		if n := f.HeaderKey(key); !partOfNamespace().MatchString(n.Str()) {
			f.diags.Errorf(n.Pos(), rule.BadName, key,
				"%q is not valid in the name of a namespace; expected lower case letters, digits and dashes", n.Text)
		}
	}
}
