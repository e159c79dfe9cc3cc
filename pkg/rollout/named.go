package rollout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Named returns objects by their identities, in the API versions of these, as a stream of manifests. It only reads.
// What the cluster does not have or serve is left out, as are Secrets. What it is not allowed to read is left out as
// well, and listed in the second result.
func (c *Cluster) Named(ctx context.Context, ids []manifest.ID) (stream []byte, unread []string, err error) {
	var out bytes.Buffer
	served := discovery{cluster: c, known: map[string][]apiResource{}}
	for _, id := range ids {
		if id.Kind == "Secret" && id.APIVersion == "v1" {
			continue
		}
		path, err := served.path(ctx, id, "")
		if err != nil {
			return nil, nil, err
		}
		if path == "" {
			continue
		}
		var live json.RawMessage
		found, err := c.read(ctx, path, &live)
		switch {
		case apierrors.IsForbidden(err):
			unread = append(unread, id.String())
		case err != nil:
			return nil, nil, err
		case found:
			out.WriteString("---\n")
			out.Write(live)
			out.WriteByte('\n')
		}
	}
	slices.Sort(unread)
	return out.Bytes(), slices.Compact(unread), nil
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
		if _, err := d.cluster.read(ctx, root, &served); err != nil {
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
