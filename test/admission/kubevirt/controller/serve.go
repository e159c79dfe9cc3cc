package main

import (
	"net/http"
	"time"

	"github.com/emicklei/go-restful/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/kubevirt/pkg/virt-api/rest"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
)

// namespace is the namespace of KubeVirt's own objects.
const namespace = "kubevirt"

// serve serves the API group of the subresources as virt-api does (KubeVirt
// v1.8.4, pkg/virt-api/api.go, composeSubresources). It returns only with an
// error.
func serve(client kubecli.KubevirtClient, address, cert, key string) error {
	app := rest.NewSubresourceAPIApp(client, 0, nil, kubevirt.Config())
	group := new(restful.WebService).Path("/apis/" + v1.SubresourceGroupName + "/v1").Produces(restful.MIME_JSON)
	group.Route(group.GET("").To(discover))
	const machine = "/namespaces/{namespace}/virtualmachines/{name}/"
	group.Route(group.PUT(machine + "restart").Consumes("*/*").To(app.RestartVMRequestHandler))
	group.Route(group.PUT(machine + "start").Consumes("*/*").To(app.StartVMRequestHandler))
	group.Route(group.PUT(machine + "stop").Consumes("*/*").To(app.StopVMRequestHandler))
	container := restful.NewContainer()
	container.Add(group)
	server := http.Server{Addr: address, Handler: container, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServeTLS(cert, key)
}

// discover lists the resources of the group.
func discover(_ *restful.Request, response *restful.Response) {
	list := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"},
		GroupVersion: v1.SubresourceGroupName + "/v1",
	}
	for _, name := range []string{"restart", "start", "stop"} {
		list.APIResources = append(list.APIResources,
			metav1.APIResource{Name: "virtualmachines/" + name, Namespaced: true, Verbs: metav1.Verbs{"update"}})
	}
	_ = response.WriteAsJson(list) //nolint:errcheck // the client has gone
}
