package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// ownCluster is the URL of the cluster that Argo CD runs on.
const ownCluster = "https://kubernetes.default.svc"

// clusterOf returns the cluster of an Application, and its URL in Argo CD.
func (b *bench) clusterOf(app int) (*cluster.Cluster, string) {
	i := app % len(b.clusters)
	if i == 0 {
		return b.clusters[0], ownCluster
	}
	return b.clusters[i], b.clusters[i].URL()
}

// register creates the namespaces of the Applications, and the Secrets by which Argo CD finds the other clusters.
func (b *bench) register(ctx context.Context) error {
	for i := range b.scenario.Applications {
		namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		namespace.SetName(nameOf(i))
		c, _ := b.clusterOf(i)
		if err := c.Apply(ctx, namespace); err != nil {
			return err
		}
	}
	for i, c := range b.clusters[1:] {
		secret, err := clusterSecret(c, fmt.Sprintf("cluster-%d", i+2))
		if err != nil {
			return err
		}
		if err := b.clusters[0].Apply(ctx, secret); err != nil {
			return err
		}
	}
	return nil
}

// clusterSecret returns the Secret of a cluster (argo-cd v3.2.11, docs/operator-manual/declarative-setup.md,
// Clusters).
func clusterSecret(c *cluster.Cluster, name string) (*unstructured.Unstructured, error) {
	cert, key := c.Credentials()
	files := map[string][]byte{"caData": c.CA()}
	for field, path := range map[string]string{"certData": cert, "keyData": key} {
		var err error
		if files[field], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	config, err := json.Marshal(map[string]any{"tlsClientConfig": files})
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
			"name": name, "namespace": argo.Namespace, "labels": map[string]any{"argocd.argoproj.io/secret-type": "cluster"},
		},
		"stringData": map[string]any{"name": name, "server": c.URL(), "config": string(config)},
	}}, err
}

// deploy creates the Applications.
func (b *bench) deploy(ctx context.Context) error {
	for i := range b.scenario.Applications {
		_, server := b.clusterOf(i)
		object, err := b.estate.application(ctx, i, server)
		if err != nil {
			return err
		}
		if _, err := b.argo.Apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// refresh has the Applications compared, as a webhook of the repository does (argo-cd v3.2.11,
// util/webhook/webhook.go).
func (b *bench) refresh(ctx context.Context, names []string) error {
	return b.annotate(ctx, names, refreshed, "normal")
}

// annotate sets an annotation of the Applications, or removes it if the value is nil.
func (b *bench) annotate(ctx context.Context, names []string, key string, value any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
	if err != nil {
		return err
	}
	for _, name := range names {
		_, err := b.clusters[0].Resource(applications).Namespace(argo.Namespace).
			Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// skipped is the annotation of an Application that the controller ignores (argo-cd v3.2.11, common/common.go).
const skipped = "argocd.argoproj.io/skip-reconcile"

// play writes the status that KubeVirt and CDI would, for VMs that run from complete disks. Until then, the controller
// ignores the Applications, which it would compare after each change of a status. No phase is about that.
func (b *bench) play(ctx context.Context, names []string) error {
	if err := b.annotate(ctx, names, skipped, "true"); err != nil {
		return err
	}
	if err := b.writeStatus(ctx); err != nil {
		return err
	}
	if err := b.annotate(ctx, names, skipped, nil); err != nil {
		return err
	}
	return b.idle(ctx)
}

func (b *bench) writeStatus(ctx context.Context) error {
	for resource, status := range map[schema.GroupVersionResource]map[string]any{
		kubevirt.VirtualMachines: {
			"created": true, "ready": true, "printableStatus": "Running",
			"conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
		},
		kubevirt.DataVolumes: {"phase": "Succeeded", "progress": "100.0%"},
	} {
		patch, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return err
		}
		for _, c := range b.clusters {
			if err := patchAll(ctx, c, resource, patch); err != nil {
				return err
			}
		}
	}
	return nil
}

// patchAll patches the status of all objects of a kind.
func patchAll(ctx context.Context, c *cluster.Cluster, resource schema.GroupVersionResource, patch []byte) error {
	list, err := c.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	failures := make([]error, len(list.Items))
	workqueue.ParallelizeUntil(ctx, 4, len(list.Items), func(i int) {
		o := &list.Items[i]
		_, err := c.Resource(resource).Namespace(o.GetNamespace()).
			Patch(ctx, o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		if err != nil {
			failures[i] = fmt.Errorf("status of %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	})
	return errors.Join(failures...)
}
