// Package loadbalancer plays a cloud's load balancer: it assigns an address to
// every Service that requests one. Without an address, Argo CD does not
// consider the Service healthy.
package loadbalancer

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// Run assigns addresses until the context is done, and passes errors to errors.
func Run(ctx context.Context, client *cluster.Client, errors func(error)) {
	services := corev1.SchemeGroupVersion.WithResource("services")
	informers := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	serve := func(object any) {
		service, ok := object.(*unstructured.Unstructured)
		if !ok || !unserved(service) {
			return
		}
		service = service.DeepCopy()
		service.Object["status"] = map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}
		_, err := client.Resource(services).Namespace(service.GetNamespace()).UpdateStatus(ctx, service, metav1.UpdateOptions{})
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			errors(err)
		}
	}
	_, err := informers.ForResource(services).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: serve, UpdateFunc: func(_, object any) { serve(object) },
	})
	if err != nil {
		errors(err)
		return
	}
	informers.Start(ctx.Done())
	<-ctx.Done()
}

func unserved(service *unstructured.Unstructured) bool {
	kind, _, _ := unstructured.NestedString(service.Object, "spec", "type")                        //nolint:errcheck // of an API server
	ingress, _, _ := unstructured.NestedSlice(service.Object, "status", "loadBalancer", "ingress") //nolint:errcheck // as above
	return kind == "LoadBalancer" && len(ingress) == 0
}
