package layers

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// manifests are the extensions of files with manifests.
var manifests = []string{".yaml", ".yml", ".json"}

// objectReader reads the objects of a layer without a chart.
type objectReader struct {
	*loaded
	*layer
	objects []manifest.Object
	first   map[manifest.ID]source.Pos
	diags   *source.Diagnostics
}

// ownObjects returns the objects that a layer lists under `objects`: a directory or file,
// or a list of them and of manifests.
func (p *loaded) ownObjects(l *layer, diags *source.Diagnostics) []manifest.Object {
	r := objectReader{loaded: p, layer: l, first: map[manifest.ID]source.Pos{}, diags: diags}
	list, path := l.node.Get("objects"), l.path+".objects"
	switch list.Kind {
	case source.String:
		r.files(list, path)
	case source.List:
		for i, item := range list.Items {
			if item.Kind == source.Map {
				r.manifest(item, source.IndexPath(path, i))
			} else {
				r.files(item, source.IndexPath(path, i))
			}
		}
	default:
		diags.Errorf(list.Pos(), rule.WrongType, path, "wrong type; expected a directory, or a list of files and manifests")
	}
	sortByWave(r.objects)
	return r.objects
}

// files reads the manifests of a file, or of all files of a directory.
func (r *objectReader) files(n *source.Node, path string) {
	at, ok := r.doc.Locate(n, path, r.diags)
	if !ok {
		return
	}
	before, errs := len(r.objects), r.diags.Len()
	err := r.doc.Walk(at, func(file string) error {
		if file != at && !slices.Contains(manifests, filepath.Ext(file)) {
			return nil
		}
		data, err := source.ReadFile(file)
		if err != nil {
			return &fs.PathError{Op: "read", Path: file, Err: err}
		}
		for _, doc := range source.Parse(&source.File{Name: file, Data: data}, r.diags) {
			if doc.IsSet() {
				r.manifest(r.doc.Expand(doc, "", r.diags), "")
			}
		}
		return nil
	})
	failed := new(fs.PathError)
	switch {
	case errors.As(err, &failed):
		r.diags.Errorf(n.Pos(), rule.Unreadable, path, "%s: %v", failed.Path, failed.Err)
	case len(r.objects) == before && r.diags.Len() == errs:
		r.diags.Errorf(n.Pos(), rule.Unreadable, path,
			"no manifests in %q; expected files %s", n.Text, strings.Join(manifests, ", "))
	}
}

// manifest adds one object, or those of a List.
func (r *objectReader) manifest(n *source.Node, path string) {
	if items := n.Get("items"); items != nil && items.Kind == source.List {
		for i, item := range items.Items {
			r.manifest(item, source.IndexPath(source.JoinPath(path, "items"), i))
		}
		return
	}
	if !r.checkManifest(n, path) {
		return
	}
	read, err := manifest.Read(bytes.NewReader(source.AppendJSON(nil, n)))
	if err != nil || len(read) != 1 {
		r.diags.Errorf(n.Pos(), rule.Encode, path, "cannot be written as a manifest: %v", err)
		return
	}
	if at, twice := r.first[read[0].ID]; twice {
		r.diags.Errorf(n.Pos(), rule.SharedObject, path, "%s is also at %s; remove one of them", read[0].ID, at)
		return
	}
	r.first[read[0].ID] = n.Pos()
	r.objects = append(r.objects, read[0])
}

// checkManifest checks that a manifest is one of Kubernetes, and warns of secrets in it.
func (r *objectReader) checkManifest(n *source.Node, path string) bool {
	before := r.diags.Len()
	if n.Kind != source.Map {
		r.diags.Errorf(n.Pos(), rule.WrongType, path,
			"wrong type; expected a manifest with apiVersion, kind and metadata.name")
		return false
	}
	for _, key := range []string{"apiVersion", "kind", "metadata.name"} {
		if at := n.Get(strings.Split(key, ".")...); at.Str() == "" {
			r.diags.Errorf(n.Pos(), rule.MissingKey, under(path, key),
				"missing; expected a string, as in every manifest of Kubernetes")
		}
	}
	if group, _, _ := strings.Cut(n.Get("apiVersion").Str(), "/"); group == "vmrender.io" {
		r.diags.Errorf(n.Pos(), rule.BadValue, path, "is a file of vmrender's; expected manifests of Kubernetes")
	}
	source.ReportAmbiguous(n, path, r.diags)
	ok := r.diags.Len() == before
	for _, key := range []string{"data", "stringData"} {
		if f := n.Field(key); f != nil && len(f.Value.Fields) > 0 && n.Get("kind").Str() == "Secret" {
			r.diags.Warnf(f.Pos(), rule.InlineSecret, source.JoinPath(path, key),
				"a Secret in clear text; prefer one that is created in the cluster, such as by an ExternalSecret")
		}
	}
	checkCredentials(n, path, r.diags)
	return ok
}

// under returns the path of a key, which may have dots, below another path.
func under(path, keys string) string {
	if path == "" {
		return keys
	}
	return path + "." + keys
}
