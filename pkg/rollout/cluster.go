package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The resources that rollouts and snapshots read and write.
var (
	machines    = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}
	instances   = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}
	dataVolumes = schema.GroupVersionResource{Group: "cdi.kubevirt.io", Version: "v1beta1", Resource: "datavolumes"}
	snapshots   = schema.GroupVersionResource{
		Group: "snapshot.kubevirt.io", Version: "v1beta1", Resource: "virtualmachinesnapshots",
	}
	snapshotContents = snapshots.GroupVersion().WithResource("virtualmachinesnapshotcontents")
	restores         = snapshots.GroupVersion().WithResource("virtualmachinerestores")
	events           = corev1.SchemeGroupVersion.WithResource("events")
	leases           = coordinationv1.SchemeGroupVersion.WithResource("leases")
	serviceAccounts  = corev1.SchemeGroupVersion.WithResource("serviceaccounts")

	subresources = schema.GroupVersion{Group: "subresources.kubevirt.io", Version: "v1"}
)

// answerTime is the timeout of one request.
const answerTime = 30 * time.Second

// Cluster is a Kubernetes API server.
type Cluster struct {
	objects  dynamic.Interface
	raw      rest.Interface // for KubeVirt's subresources, whose responses contain no object
	patience *patience      // nil if the first error of a request is returned as it is
}

// Connect returns a client for the cluster of a kubeconfig file, or if the name is
// empty, for the cluster that the process runs in. It sends no requests.
func Connect(kubeconfig string) (*Cluster, error) {
	config, err := clientConfig(kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "vmrender"
	config.QPS = -1 // no client-side limit: the API server has its own, which are fairer
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("setting up the client: %w", err)
	}
	raw, err := rawClient(config)
	if err != nil {
		return nil, fmt.Errorf("setting up the client: %w", err)
	}
	return &Cluster{objects: objects, raw: raw}, nil
}

func clientConfig(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		config, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, errors.New("not running in a cluster; name one with --kubeconfig")
		}
		return config, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if clientcmd.IsEmptyConfig(err) { // its message names environment variables that are not read
		return nil, fmt.Errorf("reading %s: it names no cluster; expected a kubeconfig with a current-context", kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	return config, nil
}

// rawClient returns a client that can decode only error responses.
func rawClient(config *rest.Config) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = new(subresources)
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}

// The subresources of a VirtualMachine that change whether it runs.
const (
	restartVM = "restart"
	stopVM    = "stop"
	startVM   = "start"
)

// power requests a restart, a stop or a start of a VirtualMachine.
func (c *Cluster) power(ctx context.Context, namespace, name, subresource string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := c.raw.Put().Namespace(namespace).Resource(machines.Resource).Name(name).SubResource(subresource).
		SetHeader("Content-Type", "application/json").Body([]byte("{}")).Do(ctx).Error()
	return c.answered(err, "update", subresources.WithResource(machines.Resource+"/"+subresource), namespace)
}

// remove deletes an object, unless its name now belongs to an object with another UID.
func (c *Cluster) remove(
	ctx context.Context, resource schema.GroupVersionResource, namespace, name string, uid types.UID,
) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := c.objects.Resource(resource).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &uid},
		PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
	if apierrors.IsNotFound(err) && !noSuchResource(err) || apierrors.IsConflict(err) {
		err = nil
	}
	return c.answered(err, "delete", resource, namespace)
}

// get returns an object as a struct of its type, or nil if it does not exist.
func get[T any](
	ctx context.Context, c *Cluster, resource schema.GroupVersionResource, namespace, name string,
) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	object, err := c.objects.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	none := apierrors.IsNotFound(err) && !noSuchResource(err)
	if none {
		err = nil
	}
	if err := c.answered(err, "get", resource, namespace); err != nil || none {
		return nil, err
	}
	out := new(T)
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out)
}

// list returns the objects of a namespace that a selector of labels selects, as structs of their type.
func list[T any](
	ctx context.Context, c *Cluster, resource schema.GroupVersionResource, namespace, selector string,
) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	found, err := c.objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err := c.answered(err, "list", resource, namespace); err != nil {
		return nil, err
	}
	all := make([]T, len(found.Items))
	for i := range found.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Items[i].Object, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// create creates an object from a struct that includes its kind. It does not change an
// object that already exists.
func (c *Cluster) create(
	ctx context.Context, resource schema.GroupVersionResource, namespace string, object any,
) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err = c.objects.Resource(resource).Namespace(namespace).
		Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = nil
	}
	return c.answered(err, "create", resource, namespace)
}

// update replaces an object that was read, and returns the result. It fails with a
// conflict if the object has changed since.
func update[T any](
	ctx context.Context, c *Cluster, resource schema.GroupVersionResource, namespace string, object *T,
) (*T, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	live, err := c.objects.Resource(resource).Namespace(namespace).
		Update(ctx, &unstructured.Unstructured{Object: content}, metav1.UpdateOptions{})
	if err := c.answered(err, "update", resource, namespace); err != nil {
		return nil, err
	}
	out := new(T)
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, out)
}

// retry repeats a request that fails with a transient error, for about ten seconds.
func retry(ctx context.Context, do func(context.Context) error) error {
	pause := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 8}
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, pause, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		last = do(ctx)
		return last == nil || isPermanent(last), nil
	})
	if last == nil {
		return err
	}
	return last
}

// isPermanent reports whether an error will occur again if the request is repeated at
// once. Errors that are not a response of the API server are network problems, which
// are transient.
func isPermanent(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err) ||
		apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsAlreadyExists(err) || apierrors.IsNotAcceptable(err) || apierrors.IsUnsupportedMediaType(err)
}

// noSuchResource reports whether an error means that the cluster does not serve the
// kind, rather than that an object does not exist.
func noSuchResource(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && apierrors.IsNotFound(err) &&
		(status.Status().Details == nil || status.Status().Details.Name == "")
}

// explain adds the request to an error of the API server, and if possible, what to
// do about it.
func explain(err error, verb string, resource schema.GroupVersionResource, namespace string) error {
	what := resource.GroupResource().String()
	where := ""
	if namespace != "" {
		where = " in namespace " + namespace
	}
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return fmt.Errorf("permission missing: %s %s%s; a Role or ClusterRole must grant it: %w", verb, what, where, err)
	case noSuchResource(err):
		return fmt.Errorf("the cluster serves no %s of version %s (%w); is its operator installed?",
			what, resource.Version, err)
	}
	return fmt.Errorf("%s %s%s: %w", verb, what, where, err)
}
