package rollout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Wanted is an object to read, by its identity in Git, and the namespace that it has if it has none there and its kind
// has namespaces.
type Wanted struct {
	manifest.ID

	Default string
}

// Named returns objects by their identities, in the API versions of these, as a stream of manifests. It only reads.
// What the cluster does not have or serve is left out, as are Secrets. What cannot be read, as without the
// permission, is left out as well, and listed in the second result.
func (c *Cluster) Named(ctx context.Context, wanted []Wanted) (stream []byte, unread []string, err error) {
	var out bytes.Buffer
	served := discovery{cluster: c, known: map[string][]apiResource{}}
	for _, w := range wanted {
		id := w.ID
		if id.Kind == "Secret" && id.APIVersion == "v1" {
			continue
		}
		live, err := served.object(ctx, id, w.Default)
		switch {
		case errors.Is(err, ErrInterrupted):
			return nil, nil, err
		case err != nil: // one API that does not answer does not hide the others
			unread = append(unread, id.String())
		case live != nil:
			out.WriteString("---\n")
			out.Write(live)
			out.WriteByte('\n')
		}
	}
	slices.Sort(unread)
	return out.Bytes(), slices.Compact(unread), nil
}

// object returns the text of an object, or nil if it, or its kind, does not exist.
func (d *discovery) object(ctx context.Context, id manifest.ID, namespace string) (text json.RawMessage, err error) {
	path, err := d.path(ctx, id, namespace)
	if err != nil || path == "" {
		return nil, err
	}
	err = d.cluster.read(ctx, path, &text)
	return text, err
}

// apiResource is how the objects of a kind are requested.
type apiResource struct {
	Name, Kind string
	Namespaced bool
}

// discovery finds the paths of objects, and asks for each API version once.
type discovery struct {
	cluster *Cluster
	known   map[string][]apiResource
}

// path returns the path of an object, or "" if its kind is not served. An object without a namespace is in the given
// one, if its kind has namespaces.
func (d *discovery) path(ctx context.Context, id manifest.ID, namespace string) (string, error) {
	root := "/apis/" + id.APIVersion
	if !strings.Contains(id.APIVersion, "/") {
		root = "/api/" + id.APIVersion
	}
	resources, ok := d.known[root]
	if !ok {
		var served struct{ Resources []apiResource }
		if err := d.cluster.read(ctx, root, &served); err != nil {
			return "", err
		}
		resources = served.Resources
		d.known[root] = resources
	}
	i := slices.IndexFunc(resources, func(r apiResource) bool {
		return r.Kind == id.Kind && !strings.Contains(r.Name, "/")
	})
	if i < 0 {
		return "", nil
	}
	path := root
	if resources[i].Namespaced {
		path += "/namespaces/" + url.PathEscape(cmp.Or(id.Namespace, namespace))
	}
	return path + "/" + resources[i].Name + "/" + url.PathEscape(id.Name), nil
}
