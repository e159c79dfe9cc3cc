package fleet

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// readHeader reads fleet.yaml and the overlays, and creates the levels of
// their defaults.
func (f *Fleet) readHeader() {
	doc := single(parseFile(f.tree.header, f.diags), f.tree.header, f.diags)
	if doc == nil {
		if !f.diags.HasErrors() {
			f.diags.Errorf(source.Pos{File: f.tree.header}, rule.EmptyFile, "",
				"empty file; expected at least apiVersion, kind and metadata.name")
		}
		doc = unreadHeader(f.tree.header)
	}
	f.doc = doc
	overlays := f.readOverlays()
	f.decodeHeader(overlays)
	f.top = f.headerLevel("fleet defaults", nil, doc)
	for _, o := range overlays {
		f.addOverlay(o)
	}
	f.expectOverlays()
}

// headerLevel returns the level of a header's or overlay's `defaults` and `vars`.
func (f *Fleet) headerLevel(name string, below *Level, doc *source.Node) *Level {
	return f.newLevel(name, below, docKeys(doc, f.diags, "vars"), "defaults", f.diags)
}

// docKeys returns the `defaults` of a document, merged over those of its
// top-level keys that are also VM keys.
func docKeys(doc *source.Node, diags *source.Diagnostics, own ...string) *source.Node {
	keys := levelKeys(doc.Get("defaults"), "defaults", diags)
	for _, k := range own {
		f := doc.Field(k)
		if f == nil || !f.Value.IsSet() {
			continue
		}
		m := &source.Node{Kind: source.Map, Line: f.Line, Col: f.Col, File: f.Value.File, Fields: []source.Field{*f}}
		keys = source.Compose(levelKeys(m, "", diags), keys)
	}
	return keys
}

// unreadHeader returns a replacement for a fleet.yaml whose problems were
// reported, so that the rest of the fleet can be checked.
func unreadHeader(path string) *source.Node {
	text := "apiVersion: " + values.APIVersion + "\nkind: " + values.Kind + "\nmetadata: {name: unread}\n"
	return source.Parse(&source.File{Name: path, Data: []byte(text)}, new(source.Diagnostics))[0]
}

func (f *Fleet) readOverlays() []*source.Node {
	var docs []*source.Node
	for _, path := range f.Overlays {
		if doc := single(parseFile(path, f.diags), path, f.diags); doc != nil {
			docs = append(docs, doc)
		}
	}
	return docs
}

// decodeHeader checks fleet.yaml and every overlay separately, and decodes the
// header from their merge.
func (f *Fleet) decodeHeader(overlays []*source.Node) {
	for _, d := range append([]*source.Node{f.doc}, overlays...) {
		own := withoutLevels(d, f.diags)
		if d == f.doc {
			f.checkNotOverlay()
			own = own.Without(overlayKeys()...)
			source.Decode(own, new(values.Header), "", f.diags)
		} else {
			own = own.Without("every")
			source.Decode(own, new(values.Overlay), "", f.diags)
		}
		f.checkCatalogKeys(own.Get("catalog"))
		checkGate(f.header, own, f.diags)
		checkPermitted(f.header, own, f.diags)
		checkLimits(f.header, own, f.diags)
		checkApproved(own, f.diags)
		f.header = source.Compose(f.header, own)
	}
	var seen source.Diagnostics // every part was reported above
	var all values.Overlay
	source.Decode(f.header, &all, "", &seen)
	f.Header, f.Environment = all.Header, all.Environment.Environment
	f.completeTarget()
	entries := source.Compose(f.Platform.catalog(), f.HeaderKey("catalog"))
	f.openCatalog(entries)
	for _, os := range entries.Get("os").Entries() {
		f.checkShared(os.Value.Get("defaults"), source.JoinPath("catalog.os", os.Key)+".defaults", f.diags)
	}
	f.checkCredentials(f.HeaderKey("catalog"))
	f.checkHeader()
}

// completeTarget adds the options to the fleet's target.
func (f *Fleet) completeTarget() {
	target := &f.Header.Target
	target.Replace(f.Target)
	target.KubeVirt = cmp.Or(target.KubeVirt, f.KubeVirt)
	if target.KubeVirt == "" && target.OpenShift != nil {
		target.KubeVirt = target.OpenShift.KubeVirt()
	}
	target.Image = cmp.Or(target.Image, f.Image)
}

// openCatalog merges the fleet's entries over those that are built in for its cluster.
func (f *Fleet) openCatalog(entries *source.Node) {
	create := catalog.New
	if f.Header.Target.Plain() {
		create = catalog.NewPlain
	}
	f.Catalog = create(entries, f.diags)
}

// checkCredentials reports credentials in the addresses of the catalog's images.
func (f *Fleet) checkCredentials(entries *source.Node) {
	if entries == nil {
		return
	}
	leaves(entries, "catalog", func(path string, n *source.Node) {
		if n.Kind == source.String && secret.InURL(n.Text) {
			f.Header.Policy.ReportSecret(n.Pos(), path, values.InlineCredentials, f.diags)
		}
	})
}

// withoutLevels returns a document without the keys that are inherited, which
// are checked with their levels. In the catalog, short forms of sources and each KEY+ are resolved.
func withoutLevels(doc *source.Node, diags *source.Diagnostics) *source.Node {
	out := *doc
	out.Fields = nil
	for _, f := range doc.Fields {
		switch f.Key {
		case "defaults", "vars", "vms":
			continue
		case "catalog":
			f.Value = catalog.WithDefaults(catalog.Normalize(f.Value), func(keys *source.Node, path string) *source.Node {
				return values.Appended(keys, path, diags)
			})
		}
		out.Fields = append(out.Fields, f)
	}
	return &out
}

// checkCatalogKeys checks the VM keys in entries of the catalog, which package
// catalog does not define.
func (f *Fleet) checkCatalogKeys(entries *source.Node) {
	for _, os := range entries.Get("os").Entries() {
		path := source.JoinPath("catalog.os", os.Key)
		if d := os.Value.Get("defaults"); d != nil && d.Kind == source.Map {
			f.checkVMKeys(values.Long(d), path+".defaults")
		}
		f.checkMuch(os.Value.Get("rootSize"), path+".rootSize", values.MuchDisk)
		f.checkMuch(os.Value.Get("minimum", "memory"), path+".minimum.memory", values.MuchMemory)
	}
	for _, flavor := range entries.Get("flavors").Entries() {
		path := source.JoinPath("catalog.flavors", flavor.Key)
		long := &source.Node{Kind: source.Map}
		for _, size := range flavor.Value.Entries() {
			if size.Value.Kind == source.Map {
				long.Fields = append(long.Fields, size)
			}
		}
		f.checkVMKeys(long, path)
		f.checkMuch(flavor.Value.Get("memory"), path+".memory", values.MuchMemory)
	}
}

// checkVMKeys checks VM keys, in their long forms, that no VM may have.
func (f *Fleet) checkVMKeys(long *source.Node, path string) {
	var vm values.VM
	values.CheckForms(long, path, f.diags)
	source.Decode(long, &vm, path, f.diags)
	if vm.CPU == nil {
		return
	}
	if problem := vm.CPU.CountProblem(); problem != "" {
		f.diags.Errorf(long.Get("cpu").Pos(), rule.OutOfRange, path+".cpu", "%s", problem)
	}
}

// checkMuch reports a quantity that no computer has. Others are reported with the catalog.
func (f *Fleet) checkMuch(n *source.Node, path string, problem func(string) string) {
	if n.IsScalar() {
		if text := problem(n.Text); text != "" {
			f.diags.Errorf(n.Pos(), rule.BadQuantity, path, "%s", text)
		}
	}
}

// checkHeader checks the keys that only fleet.yaml can set, and those that
// overlays can also set.
func (f *Fleet) checkHeader() {
	for _, key := range []struct{ name, value string }{{"apiVersion", values.APIVersion}, {"kind", values.Kind}} {
		if !f.doc.Get(key.name).IsSet() {
			f.diags.Errorf(f.doc.Pos(), rule.MissingKey, key.name, "missing; write `%s: %s`", key.name, key.value)
		}
	}
	f.checkName()
	f.checkTarget(f.HeaderKey("target"))
	f.checkIgnore(f.HeaderKey("ignore"))
	f.checkEnvironment()
}

// checkName checks that the fleet has a name.
func (f *Fleet) checkName() {
	doc := f.doc
	at := doc.Pos()
	if metadata := doc.Field("metadata"); metadata != nil && metadata.Value.Kind == source.Map {
		at = metadata.Pos()
	} else if metadata != nil && metadata.Value.IsSet() {
		return // reported as a wrong type
	}
	n := doc.Get("metadata", "name")
	if !n.IsSet() {
		f.diags.Errorf(at, rule.MissingKey, "metadata.name",
			"missing; write `metadata: {name: NAME}`, from which the fleet's identities are derived")
	} else if problem := values.NameProblem(n.Text); n.Kind == source.String && problem != "" {
		f.diags.Errorf(n.Pos(), rule.BadName, "metadata.name", "%s", problem)
	}
}

// checkTarget checks the update methods, and the versions, which must be strings: 3.10
// as a number is 3.1.
func (f *Fleet) checkTarget(target *source.Node) {
	f.checkMethods(target.Get("workloadUpdateMethods"))
	f.checkDelivery(target)
	for _, key := range []string{"kubevirt", "cdi", "argocd", "openshift"} {
		n := target.Get(key)
		if n == nil || n.Kind != source.String {
			continue
		}
		newest := versions.Known()[versions.Product(key)].Newest
		switch version := versions.Parse(n.Text); {
		case !version.IsKnown() && key != "openshift": // which reports it itself
			f.diags.Errorf(n.Pos(), rule.BadVersion, "target."+key,
				"invalid version %q; expected a version such as \"1.6\"", n.Text)
		case version.IsKnown() && versions.Parse(newest).Before(version.Minor()):
			f.diags.Warnf(n.Pos(), rule.UnknownVersion, "target."+key,
				"this vmrender has no rules for version %q; the newest that it has rules for is %q", n.Text, newest)
		}
	}
}

// checkDelivery reports keys about Argo CD in a fleet that Flux delivers.
func (f *Fleet) checkDelivery(target *source.Node) {
	if target.Get("delivery").Str() != "flux" {
		return
	}
	for _, key := range []string{"argocd", "applyOutOfSyncOnly", "healthChecks"} {
		if n := target.Get(key); n.IsSet() {
			f.diags.Errorf(n.Pos(), rule.Conflict, "target."+key,
				"is about Argo CD, and the target has `delivery: flux`; remove one of them")
		}
	}
}

func (f *Fleet) checkMethods(methods *source.Node) {
	if methods == nil || methods.Kind != source.List {
		return
	}
	for i, n := range methods.Items {
		if n.Kind == source.String && !slices.Contains(values.WorkloadUpdateMethods, n.Text) {
			f.diags.Errorf(n.Pos(), rule.UnknownValue, fmt.Sprintf("target.workloadUpdateMethods[%d]", i),
				"unknown value %q; %s", n.Text, suggest.DidYouMean(n.Text, values.WorkloadUpdateMethods))
		}
	}
}

func (f *Fleet) checkIgnore(ignore *source.Node) {
	if ignore == nil || ignore.Kind != source.List {
		return
	}
	for _, n := range ignore.Items {
		if _, err := filepath.Match(n.Text, ""); err != nil {
			f.diags.Errorf(n.Pos(), rule.BadGlob, "ignore",
				"invalid glob %q; expected a pattern such as \"drafts/*.yaml\"", n.Text)
		}
		if strings.HasPrefix(n.Text, "/") || strings.Contains("/"+n.Text+"/", "/../") {
			f.diags.Errorf(n.Pos(), rule.BadPath, "ignore", "%q leaves the fleet's root; globs are relative to it", n.Text)
		}
	}
}
