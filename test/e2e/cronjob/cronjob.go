// Package cronjob plays Kubernetes' controller of CronJobs with a clock that a test moves. That of the
// kube-controller-manager, which has the clock of the computer, is off.
//
// Only this clock is moved, and not that of pods: a run that compares the time with a window has the time of the
// computer. So tests of windows set daily ones around that time, and move this clock by whole days.
//
// It follows kubernetes v1.36.3, pkg/controller/cronjob/cronjob_controllerv2.go and utils.go; each function names the
// one that it replaces. It records no Events.
package cronjob

import (
	"context"
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // as the kube-controller-manager has the time zones

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// These are the resources that the controller reads and writes.
var (
	CronJobs = batchv1.SchemeGroupVersion.WithResource("cronjobs")
	Jobs     = batchv1.SchemeGroupVersion.WithResource("jobs")
)

// Controller acts on the CronJobs of one namespace, whenever a test requests it. It is not safe for concurrent use.
type Controller struct {
	client    dynamic.Interface
	namespace string
	now       time.Time
}

// New returns the controller of a namespace with the time of its clock.
func New(client dynamic.Interface, namespace string, now time.Time) *Controller {
	return &Controller{client: client, namespace: namespace, now: now}
}

// Now returns the time of the clock.
func (c *Controller) Now() time.Time { return c.now }

// Advance moves the clock to a later time, and starts what is due then. Times between are missed, as in an outage of
// the controller: what is not too late for its deadline is started, once.
func (c *Controller) Advance(ctx context.Context, to time.Time) error {
	if to.Before(c.now) {
		return fmt.Errorf("the clock is at %s, and cannot go back to %s", c.now, to)
	}
	c.now = to
	return c.Sync(ctx)
}

// Next returns the next time at which a CronJob is due.
func (c *Controller) Next(ctx context.Context, name string) (time.Time, error) {
	object, err := c.client.Resource(CronJobs).Namespace(c.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return time.Time{}, err
	}
	cronJob, err := typed[batchv1.CronJob](object)
	if err != nil {
		return time.Time{}, err
	}
	times, err := timesOf(cronJob)
	if err != nil {
		return time.Time{}, err
	}
	return times.Next(latest(c.now, cronJob.CreationTimestamp.Time)), nil
}

// Sync looks at all CronJobs and their Jobs, as the controller does when one of them has changed. It tries again if
// another client has changed a CronJob meanwhile.
func (c *Controller) Sync(ctx context.Context) error {
	for {
		if err := c.syncAll(ctx); !apierrors.IsConflict(err) {
			return err
		}
	}
}

func (c *Controller) syncAll(ctx context.Context) error {
	cronJobs, err := list[batchv1.CronJob](ctx, c, CronJobs)
	if err != nil {
		return err
	}
	jobs, err := list[batchv1.Job](ctx, c, Jobs)
	if err != nil {
		return err
	}
	var failures []error
	for _, cronJob := range cronJobs {
		var own []*batchv1.Job
		for _, job := range jobs {
			if metav1.IsControlledBy(job, cronJob) {
				own = append(own, job)
			}
		}
		if err := c.sync(ctx, cronJob, own); apierrors.IsConflict(err) {
			return err
		} else if err != nil {
			failures = append(failures, fmt.Errorf("CronJob %s: %w", cronJob.Name, err))
		}
	}
	return errors.Join(failures...)
}

// list returns all objects of the namespace.
func list[T any](ctx context.Context, c *Controller, resource schema.GroupVersionResource) ([]*T, error) {
	found, err := c.client.Resource(resource).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(found.Items))
	for i := range found.Items {
		if out[i], err = typed[T](&found.Items[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// typed returns an object as a struct of its type.
func typed[T any](object *unstructured.Unstructured) (*T, error) {
	out := new(T)
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out)
}

// untyped returns a struct as an object of a kind.
func untyped(object any, kind string) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	out := &unstructured.Unstructured{Object: content}
	if err == nil {
		out.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind(kind))
	}
	return out, err
}

// timesOf returns the schedule of a CronJob in its time zone (formatSchedule).
func timesOf(cronJob *batchv1.CronJob) (cron.Schedule, error) {
	text := cronJob.Spec.Schedule
	if zone := cronJob.Spec.TimeZone; zone != nil {
		text = "TZ=" + *zone + " " + text
	}
	return cron.ParseStandard(text)
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
