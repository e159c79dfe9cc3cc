package cluster

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vmrender/vmrender/test/e2e/pki"
)

// Client reads and writes objects of any kind, as an administrator.
type Client struct {
	dynamic.Interface
	config *rest.Config
	mapper *restmapper.DeferredDiscoveryRESTMapper
	// discovery asks the API server without a cache.
	discovery *discovery.DiscoveryClient
}

// manager is the field manager of the tests' own writes.
const manager = "e2e"

func newClient(url string, authority []byte, admin pki.Pair) (*Client, error) {
	config := &rest.Config{
		Host: url, QPS: 1000, Burst: 2000,
		TLSClientConfig: rest.TLSClientConfig{CAData: authority, CertFile: admin.Cert, KeyFile: admin.Key},
	}
	config.Wrap(func(transport http.RoundTripper) http.RoundTripper { return patient{transport} })
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	return &Client{Interface: objects, config: config, mapper: mapper, discovery: kinds}, nil
}

// writeKubeconfig writes the client's configuration to a file in the directory.
func (c *Client) writeKubeconfig(dir string) (string, error) {
	path := filepath.Join(dir, "kubeconfig")
	return path, c.writeConfig(path, clientcmdapi.AuthInfo{})
}

// WriteKubeconfigAs writes a configuration to a file, with which a program is a service
// account that has all rights.
func (c *Client) WriteKubeconfigAs(ctx context.Context, path, namespace, name string) error {
	binding := map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": namespace, "name": name}},
	}
	if err := c.Apply(ctx, &unstructured.Unstructured{Object: binding}); err != nil {
		return err
	}
	return c.writeConfig(path, clientcmdapi.AuthInfo{
		Impersonate:       "system:serviceaccount:" + namespace + ":" + name,
		ImpersonateGroups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
	})
}

func (c *Client) writeConfig(path string, user clientcmdapi.AuthInfo) error {
	user.ClientCertificate, user.ClientKey = c.config.CertFile, c.config.KeyFile
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{manager: {Server: c.config.Host, CertificateAuthorityData: c.config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{manager: &user},
		Contexts:       map[string]*clientcmdapi.Context{manager: {Cluster: manager, AuthInfo: manager}},
		CurrentContext: manager,
	}, path)
}

// Credentials returns the paths of the administrator's certificate and key.
func (c *Client) Credentials() (cert, key string) { return c.config.CertFile, c.config.KeyFile }

// CA returns the certificate, as PEM, of the API server's authority.
func (c *Client) CA() []byte { return c.config.CAData }

// ready returns an error until the API server serves requests.
func (c *Client) ready(ctx context.Context) error {
	return c.discovery.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// Metrics returns the metrics of the API server, in the text format of Prometheus.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	return c.discovery.RESTClient().Get().AbsPath("/metrics").Do(ctx).Raw()
}

// Put requests a subresource that takes no object, by its path.
func (c *Client) Put(ctx context.Context, path string) error {
	return c.discovery.RESTClient().Put().AbsPath(path).Do(ctx).Error()
}

// Of returns access to the objects of a kind in a namespace; the namespace is
// ignored if the kind has none.
func (c *Client) Of(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset() // it may have been defined since
		mapping, err = c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.Resource(mapping.Resource).Namespace(namespace), nil
	}
	return c.Resource(mapping.Resource), nil
}

// Apply creates or changes the object by server-side apply.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.Of(object.GroupVersionKind(), object.GetNamespace())
	if err != nil {
		return err
	}
	_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// Update reads an object, has it changed, and writes it. It tries again if
// another client has written it in the meantime.
func (c *Client) Update(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, change func(*unstructured.Unstructured)) error {
	resource, err := c.Of(kind, namespace)
	if err != nil {
		return err
	}
	for {
		object, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(object)
		if _, err = resource.Update(ctx, object, metav1.UpdateOptions{FieldManager: manager}); !apierrors.IsConflict(err) {
			return err
		}
	}
}

// Get returns an object, or nil if there is none.
func (c *Client) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	resource, err := c.Of(kind, namespace)
	if err != nil {
		return nil, err
	}
	object, err := resource.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

// List returns the objects of a kind in a namespace.
func (c *Client) List(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	resource, err := c.Of(kind, namespace)
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
