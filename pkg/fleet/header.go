package fleet

import (
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// loadHeader reads fleet.yaml and the overlays, and gives the level of the
// fleet's defaults.
func (l *loader) loadHeader() *level {
	doc := single(parseFile(l.tree.header, &l.diags), l.tree.header, &l.diags)
	if doc == nil {
		if !l.diags.HasErrors() {
			l.diags.Errorf(source.Pos{File: l.tree.header}, "empty-file", "", "empty file; expected at least apiVersion, kind and metadata.name")
		}
		doc = unreadHeader(l.tree.header)
	}
	overlays := l.readOverlays()
	l.decodeHeader(doc, overlays)
	top := l.fleetLevel("fleet defaults", nil, doc)
	for _, o := range overlays {
		top = l.fleetLevel("overlay "+filepath.ToSlash(o.File.Name), top, o)
		if vms := o.Get("vms"); vms != nil && vms.Kind == source.Map {
			l.overlays = append(l.overlays, vms)
		}
	}
	l.headerDoc, l.headerVMs = doc, doc.Field("vms")
	return top
}

// unreadHeader stands for a fleet.yaml that was reported, so that the rest of
// the fleet can be checked.
func unreadHeader(path string) *source.Node {
	text := "apiVersion: " + APIVersion + "\nkind: " + Kind + "\nmetadata: {name: unread}\n"
	return source.Parse(&source.File{Name: path, Data: []byte(text)}, new(source.Diagnostics))[0]
}

func (l *loader) readOverlays() []*source.Node {
	var docs []*source.Node
	for _, path := range l.opts.Overlays {
		if doc := single(parseFile(path, &l.diags), path, &l.diags); doc != nil {
			docs = append(docs, doc)
		}
	}
	return docs
}

// decodeHeader checks fleet.yaml and every overlay on its own, and takes the
// header from them all.
func (l *loader) decodeHeader(doc *source.Node, overlays []*source.Node) {
	var merged *source.Node
	for _, d := range append([]*source.Node{doc}, overlays...) {
		own := withoutLevels(d)
		source.Decode(own, new(Header), "", &l.diags)
		l.checkCatalogKeys(own.Get("catalog"))
		merged = source.Compose(merged, own)
	}
	var seen source.Diagnostics // every part was reported above
	source.Decode(merged, &l.header, "", &seen)
	l.set = catalog.New(source.Compose(l.platform.catalog(), merged.Get("catalog")), &l.diags)
	l.checkHeader(doc, merged)
}

// withoutLevels leaves out what takes part in inheritance, and is checked there.
func withoutLevels(doc *source.Node) *source.Node {
	out := *doc
	out.Fields = nil
	for _, f := range doc.Fields {
		switch f.Key {
		case "defaults", "vars", "vms":
			continue
		case "catalog":
			f.Value = catalog.Normalize(f.Value)
		}
		out.Fields = append(out.Fields, f)
	}
	return &out
}

// checkCatalogKeys checks the VM keys of a catalogue's entries, which the
// catalogue itself does not know.
func (l *loader) checkCatalogKeys(entries *source.Node) {
	for _, f := range fields(entries.Get("os")) {
		if d := f.Value.Get("defaults"); d != nil && d.Kind == source.Map {
			source.Decode(expand(d), new(VM), source.JoinPath("catalog.os", f.Key)+".defaults", &l.diags)
		}
	}
	for _, f := range fields(entries.Get("flavors")) {
		long := &source.Node{Kind: source.Map}
		for _, size := range fields(f.Value) {
			if size.Value.Kind == source.Map {
				long.Fields = append(long.Fields, size)
			}
		}
		source.Decode(long, new(VM), source.JoinPath("catalog.flavors", f.Key), &l.diags)
	}
}

// fields are the entries of a map, and none of anything else.
func fields(n *source.Node) []source.Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// checkHeader checks what only fleet.yaml says, and what overlays can say too.
func (l *loader) checkHeader(doc, merged *source.Node) {
	for _, want := range []struct{ key, value string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		n := doc.Get(want.key)
		if n == nil || n.Kind == source.Null {
			l.diags.Errorf(doc.Pos(), "missing-key", want.key, "missing; write `%s: %s`", want.key, want.value)
		}
	}
	l.checkName(doc)
	l.checkTarget(merged.Get("target"))
	l.checkIgnore(merged.Get("ignore"))
	l.identity = newIdentity(&l.header, merged.Get("identity"), &l.diags)
}

// checkName wants a name for the fleet.
func (l *loader) checkName(doc *source.Node) {
	at := doc.Pos()
	if f := doc.Field("metadata"); f != nil && f.Value.Kind == source.Map {
		at = f.Pos()
	} else if f != nil && f.Value.Kind != source.Null {
		return // reported as a wrong type
	}
	n := doc.Get("metadata", "name")
	if n == nil || n.Kind == source.Null {
		l.diags.Errorf(at, "missing-key", "metadata.name", "missing; write `metadata: {name: NAME}`, from which the fleet's identities are derived")
	} else if problem := nameProblem(n.Text); n.Kind == source.String && problem != "" {
		l.diags.Errorf(n.Pos(), "bad-name", "metadata.name", "%s", problem)
	}
}

// checkTarget wants versions in quotes: 3.10 as a number is 3.1.
func (l *loader) checkTarget(target *source.Node) {
	for _, key := range []string{"kubevirt", "argocd"} {
		n := target.Get(key)
		if n == nil || n.Kind != source.String {
			continue
		}
		if _, _, ok := parseVersion(n.Text); !ok {
			l.diags.Errorf(n.Pos(), "bad-version", "target."+key, "invalid version %q; expected a version such as \"1.6\"", n.Text)
		}
	}
}

func (l *loader) checkIgnore(ignore *source.Node) {
	if ignore == nil || ignore.Kind != source.List {
		return
	}
	for _, n := range ignore.Items {
		if _, err := filepath.Match(n.Text, ""); err != nil {
			l.diags.Errorf(n.Pos(), "bad-glob", "ignore", "invalid glob %q; expected a pattern such as \"drafts/*.yaml\"", n.Text)
		}
		if strings.HasPrefix(n.Text, "/") || strings.Contains("/"+n.Text+"/", "/../") {
			l.diags.Errorf(n.Pos(), "bad-path", "ignore", "%q leaves the fleet's root; globs are relative to it", n.Text)
		}
	}
}

// fleetLevel is the level of a header's or overlay's `defaults` and `vars`.
func (l *loader) fleetLevel(name string, below *level, doc *source.Node) *level {
	return newLevel(name, below, docKeys(doc, &l.diags, "vars"), "defaults", l.set, &l.diags)
}

// docKeys are a document's `defaults` with those of its keys that are VM keys too beneath them.
func docKeys(doc *source.Node, diags *source.Diagnostics, own ...string) *source.Node {
	keys := levelKeys(doc.Get("defaults"), "defaults", diags)
	for _, k := range own {
		f := doc.Field(k)
		if f == nil || f.Value.Kind == source.Null {
			continue
		}
		m := &source.Node{Kind: source.Map, Line: f.Line, Col: f.Col, File: f.Value.File, Fields: []source.Field{*f}}
		keys = source.Compose(levelKeys(m, "", diags), keys)
	}
	return keys
}
