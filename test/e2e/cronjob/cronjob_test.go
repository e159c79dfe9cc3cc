package cronjob_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/vmrender/vmrender/test/e2e/cronjob"
)

// evening is when the CronJob of these tests is created: 18:30 in Berlin.
var evening = time.Date(2026, 11, 27, 17, 30, 0, 0, time.UTC)

// played is a CronJob in an API server without any rules, and its controller.
type played struct {
	*testing.T
	*cronjob.Controller
	client *fake.FakeDynamicClient
}

func play(t *testing.T, change func(spec map[string]any)) *played {
	spec := map[string]any{
		"schedule": "0 19 * * *", "timeZone": "Europe/Berlin", "startingDeadlineSeconds": int64(3600),
		"concurrencyPolicy": "Forbid", "successfulJobsHistoryLimit": int64(1), "failedJobsHistoryLimit": int64(1),
		"jobTemplate": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "off"}},
			"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{}}}},
		},
	}
	change(spec)
	kinds := map[schema.GroupVersionResource]string{cronjob.CronJobs: "CronJobList", cronjob.Jobs: "JobList"}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "CronJob", "spec": spec, "metadata": map[string]any{
			"namespace": "prod", "name": "off", "uid": "1", "creationTimestamp": evening.Format(time.RFC3339),
		},
	}}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, object)
	return &played{t, cronjob.New(client, "prod", evening), client}
}

func unchanged(map[string]any) {}

// at moves the clock, and returns the Jobs.
func (p *played) at(after time.Duration) []string {
	p.Helper()
	require.NoError(p, p.Advance(p.Context(), evening.Add(after)))
	list, err := p.client.Resource(cronjob.Jobs).Namespace("prod").List(p.Context(), metav1.ListOptions{})
	require.NoError(p, err)
	names := []string{}
	for i := range list.Items {
		names = append(names, list.Items[i].GetName())
	}
	return names
}

// end sets a condition of a Job.
func (p *played) end(job, kind string) {
	p.Helper()
	all := p.client.Resource(cronjob.Jobs).Namespace("prod")
	object, err := all.Get(context.Background(), job, metav1.GetOptions{})
	require.NoError(p, err)
	object.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": kind, "status": "True"}}}
	_, err = all.Update(context.Background(), object, metav1.UpdateOptions{})
	require.NoError(p, err)
}

func (p *played) status() *batchv1.CronJobStatus {
	p.Helper()
	all := p.client.Resource(cronjob.CronJobs).Namespace("prod")
	object, err := all.Get(context.Background(), "off", metav1.GetOptions{})
	require.NoError(p, err)
	out := &batchv1.CronJob{}
	require.NoError(p, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out))
	return &out.Status
}

// The names of the Jobs of 19:00 in Berlin, on two days.
const (
	friday   = "off-29930040"
	saturday = "off-29931480"
)

func TestStartsWhatIsDue(t *testing.T) {
	p := play(t, unchanged)
	next, err := p.Next(t.Context(), "off")
	require.NoError(t, err)
	require.Equal(t, evening.Add(30*time.Minute), next.UTC())
	require.Equal(t, friday, cronjob.Name("off", next))

	require.Empty(t, p.at(29*time.Minute))
	require.Equal(t, []string{friday}, p.at(30*time.Minute))
	job, err := p.client.Resource(cronjob.Jobs).Namespace("prod").Get(t.Context(), friday, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "2026-11-27T19:00:00+01:00", job.GetAnnotations()[batchv1.CronJobScheduledTimestampAnnotation])
	require.Equal(t, map[string]string{"app": "off"}, job.GetLabels())
	require.Equal(t, "off", job.GetOwnerReferences()[0].Name)
	require.Len(t, p.status().Active, 1)

	p.end(friday, "Complete")
	require.Equal(t, []string{friday}, p.at(31*time.Minute))
	require.Empty(t, p.status().Active)
	require.Equal(t, evening.Add(31*time.Minute), p.status().LastSuccessfulTime.UTC())
	require.Equal(t, evening.Add(30*time.Minute), p.status().LastScheduleTime.UTC())
	require.Error(t, p.Advance(t.Context(), evening))
}

func TestStartsWhatIsLate(t *testing.T) {
	p := play(t, unchanged)
	require.Equal(t, []string{friday}, p.at(90*time.Minute-time.Second))
	p = play(t, unchanged)
	require.Empty(t, p.at(90*time.Minute))
	p = play(t, func(spec map[string]any) { delete(spec, "startingDeadlineSeconds") })
	require.Equal(t, []string{saturday}, p.at(47*time.Hour), "only the last one")
}

func TestPolicies(t *testing.T) {
	for policy, want := range map[string][]string{
		"Forbid": {friday}, "Allow": {friday, saturday}, "Replace": {saturday},
	} {
		p := play(t, func(spec map[string]any) { spec["concurrencyPolicy"] = policy })
		p.at(30 * time.Minute)
		require.ElementsMatch(t, want, p.at(24*time.Hour+30*time.Minute), policy)
	}
	p := play(t, func(spec map[string]any) { spec["suspend"] = true })
	require.Empty(t, p.at(30*time.Minute))
}

func TestHistory(t *testing.T) {
	for _, kind := range []string{"Complete", "Failed"} {
		p := play(t, unchanged)
		p.at(30 * time.Minute)
		p.end(friday, kind)
		p.at(24*time.Hour + 30*time.Minute)
		p.end(saturday, kind)
		require.Equal(t, []string{saturday}, p.at(25*time.Hour))
		require.Empty(t, p.status().Active)
		require.Equal(t, kind == "Complete", p.status().LastSuccessfulTime != nil)
	}
}
