// Package platform reads platform.yaml as text: with its bases and overlays merged, and
// its templates expanded. Every value keeps the position where it was written. What the
// keys mean is implemented in package layers, which needs Helm; a fleet next to a
// platform reads it without.
package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// kind is the kind of every file that is read here.
const kind = "Platform"

// Options are the settings of a command in addition to the platform's file. The zero
// value is valid.
type Options struct {
	// Root is the topmost directory of which files are read. Defaults to the root of the
	// repository; without one there is no limit.
	Root string
	// Overlays are files to merge over the platform, in order.
	Overlays []string
	// Set contains vars, as "key=value" with dotted keys. They override those of all files.
	Set []string
}

// Document is a platform.yaml, merged and expanded.
type Document struct {
	// Tree is the platform. A value that a template of several parts makes has the
	// position of the template.
	Tree *source.Node
	// Files are the files that were read: the platform's own, its bases and its overlays.
	Files []string
	// Vars are the vars that templates see, or nil if there are none.
	Vars *source.Node

	root      string // of the repository, without symbolic links; empty for no limit
	data      map[string]any
	templates template.Set
}

// Read reads the platform at a path. It returns nil if the platform cannot be read as a
// whole; then there is an error in diags.
func Read(path string, o Options, diags *source.Diagnostics) *Document {
	d := &Document{root: physicalRoot(o.Root, path)}
	docs := d.levels(path, o.Overlays, diags)
	if diags.HasErrors() || len(docs) == 0 {
		return nil
	}
	var merged *source.Node
	for _, doc := range docs {
		merged = mergeOver(merged, doc, diags)
	}
	own := source.Merge(nil, merged.Get("vars")) // without what is removed
	d.Vars = source.Merge(own, source.ParseOptions(o.Set, diags))
	d.expand(merged, diags)
	return d
}

// levels reads all files, from the lowest level to the highest.
func (d *Document) levels(path string, overlays []string, diags *source.Diagnostics) []*source.Node {
	if problem := d.outside(path); problem != "" {
		diags.Errorf(source.Pos{File: path}, rule.BadPath, "", "%s", problem)
		return nil
	}
	docs := d.chain(nil, path, diags)
	for _, overlay := range overlays {
		if problem := d.outside(overlay); problem != "" {
			diags.Errorf(source.Pos{File: overlay}, rule.BadPath, "", "%s", problem)
			continue
		}
		doc := d.file(overlay, diags)
		if base := doc.Get("base"); base.IsSet() {
			diags.Errorf(base.Pos(), rule.Conflict, "base",
				"an overlay has no base; set it in the platform, or list both as overlays")
		}
		docs = append(docs, doc)
	}
	return docs
}

// chain reads a file and its bases, the lowest first. above are the files that lead to
// it.
func (d *Document) chain(above []string, path string, diags *source.Diagnostics) []*source.Node {
	doc := d.file(path, diags)
	base := doc.Get("base")
	if !base.IsSet() {
		return []*source.Node{doc}
	}
	below, ok := d.Locate(base, "base", diags)
	if !ok {
		return nil
	}
	if _, err := os.Stat(below); err != nil {
		diags.Errorf(base.Pos(), rule.Unreadable, "base",
			"%q: %v; expected a platform.yaml to merge over", base.Text, reason(err))
		return nil
	}
	above = append(above, path)
	for i, file := range above {
		if physical(file) == physical(below) {
			diags.Errorf(base.Pos(), rule.Cycle, "base", "cycle of bases: %s",
				strings.Join(append(above[i:], above[i]), " → "))
			return nil
		}
	}
	return append(d.chain(above, below, diags), doc)
}

// file reads one file, which must contain one document.
func (d *Document) file(path string, diags *source.Diagnostics) *source.Node {
	d.Files = append(d.Files, path)
	data, err := source.ReadFile(path)
	if err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Unreadable, "", "%v; expected a file with `kind: %s`", err, kind)
		return nil
	}
	var found source.Diagnostics
	defer diags.Merge(&found)
	docs := source.Parse(&source.File{Name: path, Data: data}, &found)
	if found.HasErrors() {
		return nil
	}
	if len(docs) != 1 {
		found.Errorf(source.Pos{File: path}, rule.Documents, "",
			"%d documents; expected one with `kind: %s`", len(docs), kind)
		return nil
	}
	// The kind of the platform itself is checked with its other keys; that of another file would be merged away.
	if n := docs[0].Get("kind"); n.IsSet() && n.Text != kind && len(d.Files) > 1 {
		found.Errorf(n.Pos(), rule.UnknownValue, "kind", "unknown value %q; accepted: %s", n.Text, kind)
	}
	return docs[0]
}

// Locate returns the path of the file or directory that a value names, relative to the
// file that the value is in. It reports one outside of the repository.
func (d *Document) Locate(n *source.Node, path string, diags *source.Diagnostics) (string, bool) {
	name := filepath.FromSlash(n.Text)
	if n.Kind != source.String || name == "" || filepath.IsAbs(name) {
		diags.Errorf(n.Pos(), rule.BadPath, path, "expected a path relative to this file, such as \"../base/platform.yaml\"")
		return "", false
	}
	full := filepath.Join(filepath.Dir(n.File.Name), name)
	if problem := d.outside(full); problem != "" {
		diags.Errorf(n.Pos(), rule.BadPath, path, "%q %s", n.Text, problem)
		return "", false
	}
	return full, true
}

// mergeOver merges one level over those below it, like the levels of a fleet: maps by
// key, scalars and lists replace, and a null removes. Nulls within values remain, because
// there they remove the default of a chart.
func mergeOver(below, over *source.Node, diags *source.Diagnostics) *source.Node {
	if below == nil {
		return over
	}
	merged := source.Compose(below, over)
	var removed []string
	for _, f := range over.Get("layers").Entries() {
		if f.Value.Kind != source.Null {
			continue
		}
		removed = append(removed, f.Key)
		if below.Get("layers").Field(f.Key) == nil {
			diags.Errorf(f.Pos(), rule.UnknownLayer, source.JoinPath("layers", f.Key),
				"removes a layer that is not there; write `{}` for a layer without values")
		}
	}
	if len(removed) == 0 {
		return merged
	}
	out := *merged
	out.Fields = slices.Clone(merged.Fields)
	if layers := out.Field("layers"); layers != nil {
		layers.Value = layers.Value.Without(removed...)
	}
	return &out
}

// Origin returns the position of a value for a message about another one: nothing if
// both are in one file, and otherwise " (FILE:LINE:COL)".
func Origin(n, other *source.Node) string {
	if n == nil || other == nil || n.File == other.File || n.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", n.Pos())
}
