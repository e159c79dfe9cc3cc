package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// ReadReview reads what the approval of a layer is about, as a Job gets it.
func ReadReview(text []byte) (*approval.Layer, error) {
	l := new(approval.Layer)
	if err := decodeNumbers(text, l); err != nil {
		return nil, err
	}
	if _, err := approval.ParseReview(l.Approved); err != nil {
		return nil, fmt.Errorf("approved %q: %w", l.Approved, err)
	}
	return l, nil
}

// Review returns an error unless a sync of a layer would do what is approved: the layer renders it, and its objects in
// the cluster are as they were in the review, or as Git has them. It changes nothing.
func (c *Cluster) Review(ctx context.Context, l *approval.Layer) error {
	if !l.IsRendered() {
		return fmt.Errorf("layer %s: %q is not an approval of what it renders now; review it with `vmrender plan --live`, "+
			"and set `approve` to the token that is printed", l.Name, l.Approved)
	}
	var stale []string
	served := discovery{cluster: c, known: map[string][]apiResource{}}
	for i := range l.Subjects {
		s := &l.Subjects[i]
		live, err := served.subject(ctx, s, l.Namespace)
		if err != nil {
			return err
		}
		if l.IsStale(s, live) {
			stale = append(stale, s.String())
		}
	}
	if stale != nil {
		return fmt.Errorf("layer %s: in the cluster, these are neither as they were in the review %q nor as in Git: %s; "+
			"review the layer again with `vmrender plan --live`, and set `approve` to the token that is printed",
			l.Name, l.Approved, strings.Join(stale, ", "))
	}
	return nil
}

// subject returns an object from the cluster, or nil if it, or its kind, does not exist. One without a namespace in Git
// is in the given one, if its kind has namespaces.
func (d *discovery) subject(
	ctx context.Context, s *approval.Subject, namespace string,
) (live map[string]any, err error) {
	id := manifest.ID{APIVersion: s.APIVersion, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
	text, err := d.object(ctx, id, namespace)
	if err != nil || text == nil {
		return nil, err
	}
	return live, decodeNumbers(text, &live)
}

// read decodes the response to a request, unless there is no such object.
func (c *Cluster) read(ctx context.Context, path string, into any) error {
	var text []byte
	err := retry(ctx, func(ctx context.Context) (err error) {
		text, err = c.raw.Get().AbsPath(path).Do(ctx).Raw()
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsForbidden(err):
		return fmt.Errorf("permission missing: get %s; a ClusterRole must grant it: %w", path, err)
	case ctx.Err() != nil:
		return ErrInterrupted
	case err != nil && !isPermanent(err):
		return &UnavailableError{err: err}
	case err != nil:
		return fmt.Errorf("get %s: %w", path, err)
	}
	return decodeNumbers(text, into)
}

// decodeNumbers decodes JSON and keeps the spelling of numbers, which digests contain.
func decodeNumbers(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return errors.Join(errors.New("expected the JSON of an object"), err)
	}
	return nil
}
