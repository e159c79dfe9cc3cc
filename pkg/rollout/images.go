package rollout

import (
	"bytes"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Images returns the DataSources and DataImportCrons of the given namespaces as a
// stream of JSON manifests. An empty name stands for all namespaces.
func (c *Cluster) Images(ctx context.Context, namespaces []string) ([]byte, error) {
	var out bytes.Buffer
	for _, namespace := range namespaces {
		for _, kind := range []string{"datasources", "dataimportcrons"} {
			resource := schema.GroupVersionResource{Group: dataVolumes.Group, Version: dataVolumes.Version, Resource: kind}
			var list *unstructured.UnstructuredList
			err := retry(ctx, func(ctx context.Context) (err error) {
				list, err = c.objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
				return err
			})
			if err != nil {
				return nil, explain(err, "list", resource, namespace)
			}
			text, err := list.MarshalJSON()
			if err != nil {
				return nil, err
			}
			out.Write(text)
		}
	}
	return out.Bytes(), nil
}
