package rollout

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// changed returns VMs with a new root disk and a maximum of unavailable VMs.
func changed(most string, names ...string) []*machine {
	var all []*machine
	for _, name := range names {
		m := running(name)
		m.Annotations[labels.MaxUnavailable] = most
		bump(m, cdiv1.Succeeded)
		needsRestart(m)
		all = append(all, m)
	}
	return all
}

// web is a rollout of all VMs as they are.
var web = Target{ID: "web", Holder: "test"}

func TestRolloutInBatches(t *testing.T) {
	all := changed("2", "a", "b", "c", "d", "e")
	strategy("Halted")(all[4])
	all[4].instance = nil
	p := play(t, all...)
	var log bytes.Buffer
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))

	require.ElementsMatch(t, []string{"a", "b", "c", "d"}, strings.Fields(p.asked()), "each once, and no halted one")
	require.LessOrEqual(t, p.mostDown(), 3, "two at a time, and the halted one")
	require.Equal(t, "a-root-2 b-root-2 c-root-2 d-root-2 e-root-1 e-root-2", p.names(dataVolumes),
		"what a halted one has left is not touched")
	for _, line := range []string{
		"a: restarting (disk a-root-2)\n", "a: ready again\n", "a: removed disk a-root-1 of an earlier revision\n",
		"e: left alone: run strategy Halted, so it is not restarted\n", "0 of 4 up to date\n", "4 of 4 up to date\n",
	} {
		require.Contains(t, log.String(), line)
	}
	require.Len(t, strings.Fields(p.names(events)), 3*4, "an Event for each restart, each return and each disk")

	log.Reset()
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))
	require.Len(t, strings.Fields(p.asked()), 4, "a second run finds nothing to do")
}

func TestRolloutKeepsOldDisks(t *testing.T) {
	all := changed("1", "a")
	all[0].Annotations[labels.KeepOld] = "1"
	p := play(t, all...)
	require.NoError(t, p.Rollout(t.Context(), web, options(new(bytes.Buffer))))
	require.Equal(t, "a-root-1 a-root-2", p.names(dataVolumes))
}

func TestRolloutStopsAtTheFirstFailure(t *testing.T) {
	p := play(t, changed("1", "a", "b", "c")...)
	p.sick["a"] = true
	var log bytes.Buffer
	err := p.Rollout(t.Context(), web, hurried(&log))
	require.EqualError(t, err,
		"a: not ready within 1h0m0s: Running: guest is not up; no other VirtualMachine is restarted")
	require.Equal(t, "a", p.asked())
	require.Equal(t, "a-root-1 a-root-2 b-root-1 b-root-2 c-root-1 c-root-2", p.names(dataVolumes), "all disks stay")
}

func TestRolloutStopsAtAFailedDisk(t *testing.T) {
	all := changed("1", "a", "b")
	all[1].disks["b-root-2"].Status = cdiv1.DataVolumeStatus{
		Phase:      cdiv1.Failed,
		Conditions: []cdiv1.DataVolumeCondition{{Type: cdiv1.DataVolumeRunning, Message: "no such image"}},
	}
	p := play(t, all...)
	err := p.Rollout(t.Context(), web, options(new(bytes.Buffer)))
	require.EqualError(t, err, "b: disk b-root-2 failed: no such image; no other VirtualMachine is restarted")
	require.Empty(t, p.asked(), "what is known to fail is known before the first restart")
}

func TestRolloutWaitsForDisks(t *testing.T) {
	all := changed("1", "a")
	all[0].disks["a-root-2"].Status.Phase = cdiv1.ImportInProgress
	p := play(t, all...)
	err := p.Rollout(t.Context(), web, hurried(new(bytes.Buffer)))
	require.EqualError(t, err,
		"a: not prepared within 1h0m0s: disk a-root-2: ImportInProgress; no other VirtualMachine is restarted")
	require.Empty(t, p.asked())
}

func TestRolloutGoesOnAfterItWasStopped(t *testing.T) {
	p := play(t, changed("1", "a", "b", "c")...)
	p.held["b"] = true
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Rollout(ctx, web, options(new(bytes.Buffer))) }()
	require.Eventually(t, func() bool { return p.asked() == "a b" }, time.Minute, time.Millisecond)
	stop()
	require.EqualError(t, <-ended, "stopped before the end; another run resumes from here")

	var log bytes.Buffer
	p.anotherRun()
	go p.start("b")
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))
	require.Equal(t, "a b c", p.asked(), "nothing is restarted twice")
	require.Equal(t, "a-root-2 b-root-2 c-root-2", p.names(dataVolumes))
}

func TestRolloutAsksAgain(t *testing.T) {
	p := play(t, changed("1", "a")...)
	p.answers = []int{
		http.StatusInternalServerError, http.StatusConflict, http.StatusServiceUnavailable, http.StatusTooManyRequests,
	}
	var log bytes.Buffer
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))
	require.Equal(t, "a", p.asked())
	require.Contains(t, log.String(),
		"a: not restarted yet: update virtualmachines/restart.subresources.kubevirt.io in namespace prod: ")
}

func TestRolloutEndsWhenNoRestartIsTaken(t *testing.T) {
	p := play(t, changed("1", "a")...)
	for range 100 {
		p.answers = append(p.answers, http.StatusInternalServerError)
	}
	err := p.Rollout(t.Context(), web, hurried(new(bytes.Buffer)))
	requireUnavailable(t, err, "a: update virtualmachines/restart.subresources.kubevirt.io in namespace prod: ")
	require.ErrorContains(t, err, "; no other answer for 1h")
	require.NotContains(t, p.lease().Annotations, labels.Stopped, "the VM is as it was, so another run tries again")

	p = play(t, changed("1", "a")...)
	for range 100 {
		p.answers = append(p.answers, http.StatusConflict)
	}
	err = p.Rollout(t.Context(), web, hurried(new(bytes.Buffer)))
	require.ErrorContains(t, err, "a: not asked to restart within 1h0m0s: "+
		"update virtualmachines/restart.subresources.kubevirt.io in namespace prod: ")
	require.Contains(t, p.lease().Annotations, labels.Stopped)
}

// requireUnavailable checks that an error is the end of a run that another one may resume.
func requireUnavailable(t *testing.T, err error, text string) {
	t.Helper()
	var unavailable *UnavailableError
	require.ErrorAs(t, err, &unavailable)
	require.ErrorContains(t, err, text)
}

func TestRolloutSaysWhatPermissionIsMissing(t *testing.T) {
	p := play(t, changed("1", "a")...)
	for range 100 {
		p.answers = append(p.answers, http.StatusForbidden)
	}
	err := p.Rollout(t.Context(), web, hurried(new(bytes.Buffer)))
	requireUnavailable(t, err, "permission missing: "+
		"update virtualmachines/restart.subresources.kubevirt.io in namespace prod; a Role or ClusterRole must grant it")
	require.ErrorContains(t, err, "; the same answer for ")

	p = play(t, changed("1", "a")...)
	var minutes atomic.Int64
	o := options(new(bytes.Buffer))
	o.Timeout, o.Now = time.Hour, func() time.Time { return noon.Add(time.Duration(minutes.Load()) * time.Minute) }
	p.objects.PrependReactor("list", "datavolumes", func(clienttesting.Action) (bool, runtime.Object, error) {
		minutes.Add(2)
		return true, nil, apierrors.NewForbidden(dataVolumes.GroupResource(), "", errors.New("no"))
	})
	err = p.Rollout(t.Context(), web, o)
	requireUnavailable(t, err, "permission missing: list and watch datavolumes.cdi.kubevirt.io in namespace prod; ")
	require.Empty(t, p.asked())
}

func TestRolloutWithoutEvents(t *testing.T) {
	p := play(t, changed("1", "a")...)
	p.objects.PrependReactor("create", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(events.GroupResource(), "", errors.New("no"))
	})
	var log bytes.Buffer
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))
	require.Equal(t, 1, strings.Count(log.String(),
		"no Event recorded: permission missing: create events in namespace prod"))
}

func TestRolloutOfNothing(t *testing.T) {
	var log bytes.Buffer
	require.NoError(t, play(t).Rollout(t.Context(), web, options(&log)))
	require.Equal(t,
		"no VirtualMachine in namespace prod has the label vmrender.io/rollout=web; nothing to do\n", log.String())
}

func TestRolloutOutlastsTrouble(t *testing.T) {
	p := play(t, changed("1", "a")...)
	failures := 2
	p.objects.PrependReactor("list", "virtualmachines", func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	var log bytes.Buffer
	require.NoError(t, p.Rollout(t.Context(), web, options(&log)))
	require.Contains(t, log.String(),
		"list and watch virtualmachines.kubevirt.io in namespace prod: etcd is away; trying again\n")
	require.Equal(t, "a", p.asked())
}

// An import may take as long as it makes progress. An import that repeatedly starts over
// makes none.
func TestProgressDeadline(t *testing.T) {
	m := running("a")
	m.Annotations[labels.ProgressDeadline] = "60"
	bump(m, cdiv1.ImportInProgress)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &run{Options: Options{Now: func() time.Time { return now }}, spells: map[string]*spell{}}
	waited := func(progress string) time.Duration {
		m.disks["a-root-2"].Status.Progress = cdiv1.DataVolumeProgress(progress)
		now = now.Add(50 * time.Second)
		return r.waited(observe([]*machine{m}, new(record))[0], "prepared")
	}
	require.Zero(t, waited("0%"))
	require.Zero(t, waited("1%"))
	require.Zero(t, waited("2%"))
	require.Equal(t, 50*time.Second, waited("2%"))
	require.Equal(t, 100*time.Second, waited("1%"))
	require.Zero(t, waited("3%"))
}

func TestDeadline(t *testing.T) {
	m := running("a")
	deadline := func() time.Duration {
		d, err := m.deadline(15 * time.Minute)
		require.NoError(t, err)
		return d
	}
	require.Equal(t, 15*time.Minute, deadline())
	m.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(3600))
	require.Equal(t, 75*time.Minute, deadline(), "the guest may take an hour to stop")
	m.Annotations[labels.ProgressDeadline] = "60"
	require.Equal(t, time.Minute, deadline())
}

// A disk that something else than its VM uses stays: another VM that has it attached, for
// example to rescue its files, an instance that has it for now, or a VM that would fill it.
func TestRolloutKeepsDisksInUse(t *testing.T) {
	for name, use := range map[string]func(rescue *machine){
		"a VM": func(rescue *machine) { rescue.Spec.Template.Spec.Volumes = rootVolume("a-root-1") },
		"a VM's template": func(rescue *machine) {
			old := metav1.ObjectMeta{Name: "a-root-1"}
			rescue.Spec.DataVolumeTemplates = []kubevirtv1.DataVolumeTemplateSpec{{ObjectMeta: old}}
		},
		"an instance only": func(rescue *machine) { rescue.instance.Spec.Volumes = rootVolume("a-root-1") },
	} {
		t.Run(name, func(t *testing.T) {
			rescue := running("rescue")
			delete(rescue.Labels, labels.Rollout)
			use(rescue)
			p := play(t, append(changed("1", "a"), rescue)...)
			require.NoError(t, p.Rollout(t.Context(), web, options(new(bytes.Buffer))))
			require.Contains(t, strings.Fields(p.names(dataVolumes)), "a-root-1")
		})
	}
}
