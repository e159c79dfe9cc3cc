package render

import (
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// recurring is what the VMs of a CronJob of snapshots have in common. It is comparable.
type recurring struct {
	schedule.Times
	keep int
}

func recurringOf(s *machine.Snapshots) recurring {
	times := s.Times
	times.Zone = strings.Clone(times.Zone) // which does not keep the text of the file in memory
	return recurring{times, s.Keep}
}

// hash tells the CronJobs of a part of a fleet apart.
func (r *recurring) hash() string { return machine.Hash(r.Cron(), r.Zone, strconv.Itoa(r.keep)) }

// latest is how late a snapshot is still taken, if the cluster could not start its Job in time.
const latest = time.Hour

// ofSchedule returns the CronJob of snapshots. The ID on the snapshots is that of the part of the fleet, and not the
// name of the CronJob: a VM has one schedule at a time, and those of an earlier one count when the oldest are deleted.
func (k *jobKey) ofSchedule(of *job, last int) *batchv1.CronJob {
	args := slices.Concat([]string{
		k.kind.command, "--scheduled", "--namespace", k.namespace, "--id", k.part,
		"--keep", strconv.Itoa(k.recurring.keep), "--timeout", k.kind.timeout,
	}, slices.Sorted(slices.Values(of.args)))
	return k.cronJob(of, last, args, batchv1.CronJobSpec{
		Schedule: k.recurring.Cron(), TimeZone: new(k.recurring.Zone),
		StartingDeadlineSeconds: new(int64(latest.Seconds())),
	})
}
