package rollout

import (
	"bytes"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// stateKind is a kind of objects that show what a change does to VMs.
type stateKind struct {
	group    string
	resource string
	versions []string // the first that the cluster serves is read
	// everywhere is true if the objects of all namespaces are read, or if the kind has
	// none.
	everywhere bool
}

// stateKinds are the kinds of [Cluster.State]. Secrets are not among them.
var stateKinds = []stateKind{
	{"kubevirt.io", "virtualmachines", []string{"v1"}, false},
	{"kubevirt.io", "virtualmachineinstances", []string{"v1"}, false},
	{"kubevirt.io", "virtualmachineinstancemigrations", []string{"v1"}, false},
	{"pool.kubevirt.io", "virtualmachinepools", []string{"v1beta1", "v1alpha1"}, false},
	{"snapshot.kubevirt.io", "virtualmachinesnapshots", []string{"v1beta1", "v1alpha1"}, false},
	{"snapshot.kubevirt.io", "virtualmachinerestores", []string{"v1beta1", "v1alpha1"}, false},
	{"backup.kubevirt.io", "virtualmachinebackups", []string{"v1alpha1"}, false},
	{"backup.kubevirt.io", "virtualmachinebackuptrackers", []string{"v1alpha1"}, false},
	{"instancetype.kubevirt.io", "virtualmachineinstancetypes", []string{"v1beta1"}, false},
	{"instancetype.kubevirt.io", "virtualmachinepreferences", []string{"v1beta1"}, false},
	{"instancetype.kubevirt.io", "virtualmachineclusterinstancetypes", []string{"v1beta1"}, true},
	{"instancetype.kubevirt.io", "virtualmachineclusterpreferences", []string{"v1beta1"}, true},
	{"cdi.kubevirt.io", "datavolumes", []string{"v1beta1"}, false},
	{"", "persistentvolumeclaims", []string{"v1"}, false},
	{"", "resourcequotas", []string{"v1"}, false},
	{"apps", "controllerrevisions", []string{"v1"}, false},
	{"batch", "jobs", []string{"v1"}, false},
	{"batch", "cronjobs", []string{"v1"}, false},
	{"", "services", []string{"v1"}, false},
	{"", "serviceaccounts", []string{"v1"}, false},
	{"rbac.authorization.k8s.io", "roles", []string{"v1"}, false},
	{"rbac.authorization.k8s.io", "rolebindings", []string{"v1"}, false},
	{"coordination.k8s.io", "leases", []string{"v1"}, false},
	{"forklift.konveyor.io", "plans", []string{"v1beta1"}, false},
	{"tower.ansible.com", "ansiblejobs", []string{"v1alpha1"}, false},
	{"argoproj.io", "applications", []string{"v1alpha1"}, true},
	{"kubevirt.io", "kubevirts", []string{"v1"}, true},
	{"hco.kubevirt.io", "hyperconvergeds", []string{"v1beta1", "v1"}, true},
	{"storage.k8s.io", "storageclasses", []string{"v1"}, true},
	{"", "nodes", []string{"v1"}, true},
}

// drainKinds are the kinds of [Cluster.Drain], in all namespaces.
var drainKinds = []stateKind{
	{"kubevirt.io", "virtualmachines", []string{"v1"}, true},
	{"kubevirt.io", "virtualmachineinstances", []string{"v1"}, true},
	{"cdi.kubevirt.io", "datavolumes", []string{"v1beta1"}, true},
	{"", "persistentvolumeclaims", []string{"v1"}, true},
	{"", "resourcequotas", []string{"v1"}, true},
	{"policy", "poddisruptionbudgets", []string{"v1"}, true},
	{"kubevirt.io", "kubevirts", []string{"v1"}, true},
	{"hco.kubevirt.io", "hyperconvergeds", []string{"v1beta1", "v1"}, true},
	{"", "nodes", []string{"v1"}, true},
	{"", "pods", []string{"v1"}, true},
}

// drillKinds are the kinds of [Cluster.Drill], in all namespaces. Secrets and ConfigMaps are not among them: whether
// Git has them is enough.
var drillKinds = []stateKind{
	{"kubevirt.io", "virtualmachines", []string{"v1"}, true},
	{"kubevirt.io", "virtualmachineinstances", []string{"v1"}, true},
	{"pool.kubevirt.io", "virtualmachinepools", []string{"v1beta1", "v1alpha1"}, true},
	{"instancetype.kubevirt.io", "virtualmachineinstancetypes", []string{"v1beta1"}, true},
	{"instancetype.kubevirt.io", "virtualmachinepreferences", []string{"v1beta1"}, true},
	{"instancetype.kubevirt.io", "virtualmachineclusterinstancetypes", []string{"v1beta1"}, true},
	{"instancetype.kubevirt.io", "virtualmachineclusterpreferences", []string{"v1beta1"}, true},
	{"cdi.kubevirt.io", "datavolumes", []string{"v1beta1"}, true},
	{"cdi.kubevirt.io", "datasources", []string{"v1beta1"}, true},
	{"", "persistentvolumeclaims", []string{"v1"}, true},
	{"", "namespaces", []string{"v1"}, true},
	{"k8s.cni.cncf.io", "network-attachment-definitions", []string{"v1"}, true},
	{"k8s.ovn.org", "userdefinednetworks", []string{"v1"}, true},
	{"k8s.ovn.org", "clusteruserdefinednetworks", []string{"v1"}, true},
	{"velero.io", "schedules", []string{"v1"}, true},
	{"velero.io", "backups", []string{"v1"}, true},
	{"oadp.openshift.io", "dataprotectionapplications", []string{"v1alpha1"}, true},
	{"ramendr.openshift.io", "drplacementcontrols", []string{"v1alpha1"}, true},
	{"ramendr.openshift.io", "volumereplicationgroups", []string{"v1alpha1"}, true},
	{"replication.storage.openshift.io", "volumereplications", []string{"v1alpha1"}, true},
	{"replication.storage.openshift.io", "volumegroupreplications", []string{"v1alpha1"}, true},
	{"volsync.backube", "replicationsources", []string{"v1alpha1"}, true},
	{"volsync.backube", "replicationdestinations", []string{"v1alpha1"}, true},
	{"kubevirt.io", "kubevirts", []string{"v1"}, true},
	{"hco.kubevirt.io", "hyperconvergeds", []string{"v1beta1", "v1"}, true},
	{"argoproj.io", "applications", []string{"v1alpha1"}, true},
}

// pageSize is the most objects of one response.
const pageSize = 500

// Dial returns a client for a cluster as kubectl finds it: by the kubeconfig file, or
// if the name is empty, those of KUBECONFIG or ~/.kube/config, and by the context in it,
// or the current one. It also returns the name of the context. It sends no requests.
func Dial(kubeconfig, name string) (*Cluster, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: name}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", fmt.Errorf("no kubeconfig names a cluster; expected --kubeconfig FILE, or one with a current-context")
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.UserAgent, config.QPS = "vmrender", -1
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, "", fmt.Errorf("setting up the client: %w", err)
	}
	requests, err := rawClient(config)
	if err != nil {
		return nil, "", fmt.Errorf("setting up the client: %w", err)
	}
	if name == "" {
		name = raw.CurrentContext
	}
	return &Cluster{objects: objects, raw: requests}, name, nil
}

// State returns what the cluster has of the VMs in some namespaces, and of what
// decides about their changes, as a stream of manifests. It only lists objects. Kinds
// that it is not allowed to read are left out; the second result lists them. Kinds that the cluster
// does not serve are also left out.
func (c *Cluster) State(ctx context.Context, namespaces []string) (stream []byte, unread []string, err error) {
	return c.listKinds(ctx, stateKinds, namespaces)
}

// Drain returns what the cluster has that decides about a drain of a node, in all namespaces: VMs of any of them can
// run on it. Otherwise it is as [Cluster.State].
func (c *Cluster) Drain(ctx context.Context) (stream []byte, unread []string, err error) {
	return c.listKinds(ctx, drainKinds, nil)
}

// Drill returns what the cluster has that decides about a rebuild of its VMs at another site, in all namespaces.
// Otherwise it is as [Cluster.State].
func (c *Cluster) Drill(ctx context.Context) (stream []byte, unread []string, err error) {
	return c.listKinds(ctx, drillKinds, nil)
}

// listKinds lists the objects of kinds, in some namespaces.
func (c *Cluster) listKinds(
	ctx context.Context, kinds []stateKind, namespaces []string,
) (stream []byte, unread []string, err error) {
	var out bytes.Buffer
	for _, kind := range kinds {
		in := namespaces
		if kind.everywhere {
			in = []string{metav1.NamespaceAll}
		}
		for _, namespace := range in {
			resource, err := c.listKind(ctx, &out, &kind, namespace)
			switch {
			case err == nil || noSuchResource(err):
			case apierrors.IsForbidden(err):
				unread = append(unread, forbidden(resource, namespace))
			default:
				return nil, nil, explain(err, "list", resource, namespace)
			}
		}
	}
	return out.Bytes(), unread, nil
}

func forbidden(resource schema.GroupVersionResource, namespace string) string {
	if namespace == "" {
		return resource.GroupResource().String()
	}
	return resource.GroupResource().String() + " in " + namespace
}

// listKind lists the objects of a kind in the first version that the cluster serves.
func (c *Cluster) listKind(
	ctx context.Context, out *bytes.Buffer, kind *stateKind, namespace string,
) (resource schema.GroupVersionResource, err error) {
	for _, version := range kind.versions {
		resource = schema.GroupVersionResource{Group: kind.group, Version: version, Resource: kind.resource}
		if err = c.listAll(ctx, out, resource, namespace); !noSuchResource(err) {
			return resource, err
		}
	}
	return resource, err
}

// listAll writes all pages of a list. A list that changes so much that its next page is
// gone is read again from the start.
func (c *Cluster) listAll(
	ctx context.Context, out *bytes.Buffer, resource schema.GroupVersionResource, namespace string,
) error {
	return retry(ctx, func(ctx context.Context) error {
		var all bytes.Buffer
		options := metav1.ListOptions{Limit: pageSize}
		for {
			list, err := c.objects.Resource(resource).Namespace(namespace).List(ctx, options)
			if err != nil {
				return err
			}
			for i := range list.Items {
				text, err := list.Items[i].MarshalJSON()
				if err != nil {
					return err
				}
				all.WriteString("---\n")
				all.Write(text)
			}
			if options.Continue = list.GetContinue(); options.Continue == "" {
				_, err := all.WriteTo(out)
				return err
			}
		}
	})
}
