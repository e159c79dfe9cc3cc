package kubevirt

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

//go:embed subresources.yaml
var subresourcesYAML []byte

// Serve plays virt-api: it restarts machines, when the API server hands such a
// request on. It listens where subresources.yaml says.
func Serve(ctx context.Context, c *cluster.Cluster) error {
	pair, err := c.Certificate("virt-api-subresources")
	if err != nil {
		return err
	}
	objects, err := cluster.Objects(subresourcesYAML)
	if err != nil {
		return err
	}
	const group = "/apis/subresources.kubevirt.io/v1"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+group, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"subresources.kubevirt.io/v1","resources":[]}`)) //nolint:errcheck // the client has gone
	})
	mux.HandleFunc("PUT "+group+"/namespaces/{namespace}/virtualmachines/{name}/restart", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(restart(r.Context(), c.Client, r.PathValue("namespace"), r.PathValue("name")))
	})
	server := &http.Server{Addr: "127.0.0.1:9445", Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close() //nolint:errcheck // the process ends
	}()
	go func() {
		_ = server.ListenAndServeTLS(pair.Cert, pair.Key) //nolint:errcheck // requests fail then
	}()
	return c.Install(ctx, objects)
}

// restart is RestartVMRequestHandler of virt-api (pkg/virt-api/rest/lifecycle.go):
// it asks virt-controller to stop the instance that there is, and to start one.
func restart(ctx context.Context, client *cluster.Client, namespace, name string) (status int) {
	instance, err := client.Resource(Instances).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return http.StatusConflict // it does not run
	}
	for {
		vm, err := client.Resource(VirtualMachines).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return http.StatusNotFound
		}
		requests := []any{map[string]any{"action": "Stop", "uid": string(instance.GetUID())}, map[string]any{"action": "Start"}}
		if err := unstructured.SetNestedSlice(vm.Object, requests, "status", "stateChangeRequests"); err != nil {
			return http.StatusInternalServerError
		}
		_, err = client.Resource(VirtualMachines).Namespace(namespace).UpdateStatus(ctx, vm, metav1.UpdateOptions{})
		if err == nil {
			return http.StatusAccepted
		}
		if !apierrors.IsConflict(err) {
			return http.StatusInternalServerError
		}
	}
}
