package cluster

import (
	"context"
	"encoding/json"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	kubevirtfake "kubevirt.io/client-go/kubevirt/fake"
	"kubevirt.io/kubevirt/pkg/util/migrations"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
)

// evict handles the eviction of a Pod. The webhook of virt-api admits it or turns it
// into an evacuation of the node, which is a migration.
func (c *Cluster) evict(action testing.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "eviction" {
		return false, nil, nil
	}
	eviction := action.(testing.CreateAction).GetObject()
	m, err := meta.Accessor(eviction)
	if err != nil {
		return true, nil, err
	}
	review := &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{Namespace: Namespace, Name: m.GetName()}}
	if review.Request.Object.Raw, err = json.Marshal(eviction); err != nil {
		return true, nil, err
	}
	allowed, err := c.admitEviction(review)
	if err != nil || allowed {
		return true, nil, err
	}
	return true, nil, apierrors.NewTooManyRequests("the webhook refuses the eviction", 0)
}

// admitEviction calls the webhook. The webhook has its own clients, because the
// cluster's client waits for it.
func (c *Cluster) admitEviction(review *admissionv1.AdmissionReview) (bool, error) {
	ctx := context.Background()
	pods, instances := kubernetesfake.NewSimpleClientset(c.pods.objects()...), kubevirtfake.NewSimpleClientset(c.informers.instances.objects()...)
	response := admitters.NewPodEvictionAdmitter(c.config, pods, instances).Admit(ctx, review)
	if response.Allowed {
		c.Evictions++
		return true, nil
	}
	all, err := instances.KubevirtV1().VirtualMachineInstances(Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for i := range all.Items {
		if vmi := &all.Items[i]; vmi.IsMarkedForEviction() && migrations.VMIMigratableOnEviction(c.config, vmi) {
			c.Evacuations++
		}
	}
	return false, nil
}

// objects returns the objects that the informer knows.
func (i *informer) objects() []runtime.Object {
	var out []runtime.Object
	for _, known := range i.indexer.List() {
		out = append(out, known.(runtime.Object).DeepCopyObject())
	}
	return out
}
