package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/cronjob"
)

// cronJobs returns the controller of the scenario's CronJobs. Its clock begins with the present time.
func (s *scenario) cronJobs() *cronjob.Controller {
	if s.schedules == nil {
		s.schedules = cronjob.New(lab.cluster, s.name, time.Now())
	}
	return s.schedules
}

// cronJob waits for the only CronJob whose name has an ending, and returns its name.
func (s *scenario) cronJob(ending string) string {
	s.Helper()
	var names []string
	s.eventually("one CronJob "+ending, func() bool {
		names = nil
		for name := range s.names(cronjob.CronJobs) {
			if strings.HasSuffix(name, ending) {
				names = append(names, name)
			}
		}
		return len(names) == 1
	})
	return names[0]
}

// due moves the clock to the next time of a CronJob, and returns the name of the Job that it has started.
func (s *scenario) due(ending string) string {
	s.Helper()
	name, started := s.late(ending, 0)
	require.True(s, started, name)
	return name
}

// late moves the clock to a time after the next one of a CronJob, and returns the name of the Job that is for it, and
// whether there is one.
func (s *scenario) late(ending string, by time.Duration) (job string, started bool) {
	s.Helper()
	name := s.cronJob(ending)
	s.eventually("the end of the last Job", func() bool {
		require.NoError(s, s.cronJobs().Sync(s.Context()))
		return s.field(cronjob.CronJobs, name, "status", "active") == nil
	})
	at, err := s.cronJobs().Next(s.Context(), name)
	require.NoError(s, err)
	require.NoError(s, s.cronJobs().Advance(s.Context(), at.Add(by)))
	job = cronjob.Name(name, at)
	return job, s.names(cronjob.Jobs)[job] != ""
}

// passes moves the clock, and requires that no Job is due then.
func (s *scenario) passes(time time.Duration) {
	s.Helper()
	before := s.names(cronjob.Jobs)
	require.NoError(s, s.cronJobs().Advance(s.Context(), s.cronJobs().Now().Add(time)))
	require.Equal(s, before, s.names(cronjob.Jobs))
}

// jobSucceeds waits until a Job of a schedule has succeeded, and fails if it has failed.
func (s *scenario) jobSucceeds(job string) {
	s.Helper()
	s.ends(job, batchv1.JobComplete)
}

// jobFails waits until a Job of a schedule has failed, and fails if it has succeeded.
func (s *scenario) jobFails(job string) {
	s.Helper()
	s.ends(job, batchv1.JobFailed)
}

func (s *scenario) ends(job string, want batchv1.JobConditionType) {
	s.Helper()
	var ended *unstructured.Unstructured
	s.eventually("the end of "+job, func() bool {
		ended = s.object(cronjob.Jobs, job)
		return hasCondition(ended, string(batchv1.JobComplete)) || hasCondition(ended, string(batchv1.JobFailed))
	})
	require.True(s, hasCondition(ended, string(want)), s.logs(job))
	require.NoError(s, s.cronJobs().Sync(s.Context()))
}

// logs returns what the pods of a Job have written.
func (s *scenario) logs(job string) string {
	s.Helper()
	var out strings.Builder
	for _, pod := range s.pods(job) {
		log, err := lab.kubelet.Log(s.name, pod.GetName())
		fmt.Fprint(&out, log)
		require.NoError(s, err)
	}
	return out.String()
}

// waits matches the lines of what a Job waits for, which depend on when it looks.
var waits = regexp.MustCompile(`(?m)^.*: waiting: .*\n`)

// steps returns what a Job logs, without what it waits for.
func (s *scenario) steps(job string) string {
	s.Helper()
	return waits.ReplaceAllString(s.logs(job), "")
}
