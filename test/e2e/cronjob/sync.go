package cronjob

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// sync handles one CronJob and its Jobs (sync).
func (c *Controller) sync(ctx context.Context, cronJob *batchv1.CronJob, jobs []*batchv1.Job) error {
	before := cronJob.Status.DeepCopy()
	if err := c.clean(ctx, &cronJob.Spec, jobs); err != nil {
		return err
	}
	c.note(&cronJob.Status, jobs)
	if err := c.start(ctx, cronJob); err != nil {
		return err
	}
	if apiequality.Semantic.DeepEqual(before, &cronJob.Status) {
		return nil
	}
	object, err := untyped(cronJob, "CronJob")
	if err != nil {
		return err
	}
	_, err = c.client.Resource(CronJobs).Namespace(c.namespace).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}

// clean deletes the oldest Jobs that have ended, except for the limits of the history (cleanupFinishedJobs).
func (c *Controller) clean(ctx context.Context, spec *batchv1.CronJobSpec, jobs []*batchv1.Job) error {
	for kind, limit := range map[batchv1.JobConditionType]*int32{
		batchv1.JobComplete: spec.SuccessfulJobsHistoryLimit, batchv1.JobFailed: spec.FailedJobsHistoryLimit,
	} {
		var ended []*batchv1.Job
		for _, job := range jobs {
			if has(job, kind) {
				ended = append(ended, job)
			}
		}
		slices.SortFunc(ended, func(a, b *batchv1.Job) int {
			return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
		})
		for limit != nil && len(ended) > int(*limit) {
			if err := c.remove(ctx, ended[0].Name); err != nil {
				return err
			}
			ended = ended[1:]
		}
	}
	return nil
}

// has reports whether a condition of a Job is true.
func has(job *batchv1.Job, kind batchv1.JobConditionType) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
}

func hasEnded(job *batchv1.Job) bool {
	return has(job, batchv1.JobComplete) || has(job, batchv1.JobFailed)
}

func (c *Controller) remove(ctx context.Context, name string) error {
	background := metav1.DeletePropagationBackground
	err := c.client.Resource(Jobs).Namespace(c.namespace).
		Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return err
}

// note notes Jobs that have ended or are gone (the first part of syncCronJob). The time of a success is that of this
// clock, because it is compared with the time of the schedule: in a cluster, both are of one clock.
func (c *Controller) note(status *batchv1.CronJobStatus, jobs []*batchv1.Job) {
	running := map[types.UID]bool{}
	for _, job := range jobs {
		running[job.UID] = !hasEnded(job)
		isNews := slices.ContainsFunc(status.Active, func(r corev1.ObjectReference) bool { return r.UID == job.UID })
		if isNews && has(job, batchv1.JobComplete) {
			status.LastSuccessfulTime = &metav1.Time{Time: c.now}
		}
	}
	status.Active = slices.DeleteFunc(status.Active, func(r corev1.ObjectReference) bool { return !running[r.UID] })
}

// start creates the Job that is due, if there is one (the second part of syncCronJob).
func (c *Controller) start(ctx context.Context, cronJob *batchv1.CronJob) error {
	spec, status := &cronJob.Spec, &cronJob.Status
	if cronJob.DeletionTimestamp != nil || spec.Suspend != nil && *spec.Suspend {
		return nil
	}
	due, err := c.due(cronJob)
	if err != nil || due.IsZero() || status.LastScheduleTime != nil && status.LastScheduleTime.Time.Equal(due) {
		return err
	}
	if spec.ConcurrencyPolicy == batchv1.ForbidConcurrent && len(status.Active) > 0 {
		return nil
	}
	if spec.ConcurrencyPolicy == batchv1.ReplaceConcurrent {
		for _, job := range status.Active {
			if err := c.remove(ctx, job.Name); err != nil {
				return err
			}
		}
		status.Active = nil
	}
	job, err := c.create(ctx, cronJob, due)
	if err != nil {
		return err
	}
	status.Active = append(status.Active, corev1.ObjectReference{
		APIVersion: "batch/v1", Kind: "Job", Namespace: job.Namespace, Name: job.Name, UID: job.UID,
		ResourceVersion: job.ResourceVersion,
	})
	status.LastScheduleTime = &metav1.Time{Time: due}
	return nil
}

// due returns the last time of the schedule that is neither handled nor missed, or zero (mostRecentScheduleTime).
func (c *Controller) due(cronJob *batchv1.CronJob) (time.Time, error) {
	times, err := timesOf(cronJob)
	if err != nil {
		return time.Time{}, err
	}
	earliest := cronJob.CreationTimestamp.Time
	if last := cronJob.Status.LastScheduleTime; last != nil {
		earliest = last.Time
	}
	if seconds := cronJob.Spec.StartingDeadlineSeconds; seconds != nil {
		earliest = latest(earliest, c.now.Add(-time.Duration(*seconds)*time.Second))
	}
	var due time.Time
	for t := times.Next(earliest); !t.IsZero() && !t.After(c.now); t = times.Next(t) {
		due = t
	}
	return due, nil
}

// create creates the Job of a CronJob for a time of its schedule (getJobFromTemplate2). If the API server has it
// already, because a status was not written, it returns that one.
func (c *Controller) create(ctx context.Context, cronJob *batchv1.CronJob, due time.Time) (*batchv1.Job, error) {
	template := cronJob.Spec.JobTemplate.DeepCopy()
	zone, err := zoneOf(cronJob)
	if err != nil {
		return nil, err
	}
	if template.Annotations == nil {
		template.Annotations = map[string]string{}
	}
	template.Annotations[batchv1.CronJobScheduledTimestampAnnotation] = due.In(zone).Format(time.RFC3339)
	object, err := untyped(&batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: Name(cronJob.Name, due), Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(cronJob, batchv1.SchemeGroupVersion.WithKind("CronJob")),
			},
		},
		Spec: template.Spec,
	}, "Job")
	if err != nil {
		return nil, err
	}
	all := c.client.Resource(Jobs).Namespace(c.namespace)
	made, err := all.Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		made, err = all.Get(ctx, object.GetName(), metav1.GetOptions{})
	}
	if err != nil {
		return nil, err
	}
	return typed[batchv1.Job](made)
}

func zoneOf(cronJob *batchv1.CronJob) (*time.Location, error) {
	if zone := cronJob.Spec.TimeZone; zone != nil {
		return time.LoadLocation(*zone)
	}
	return time.UTC, nil
}

// Name returns the name of the Job of a CronJob for a time of its schedule (getJobName).
func Name(cronJob string, due time.Time) string {
	return cronJob + "-" + strconv.FormatInt(due.Unix()/60, 10)
}
