package rollout

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// revision sets the content of VMs and returns a rollout for it.
func revision(content string, all ...*machine) Target {
	t := Target{ID: "web", Holder: "test", Machines: map[string]string{}}
	for _, m := range all {
		m.Annotations[labels.Content] = content
		t.Machines[m.Name] = content
	}
	return t
}

// Later rollouts leave alone the VMs that a stopped one has left behind, until these
// change or a user wants another attempt.
func TestStoppedRolloutIsNotResumed(t *testing.T) {
	all := changed("1", "a", "b", "c")
	target := revision("v2", all...)
	p := play(t, all...)
	p.sick["a"] = true
	require.ErrorContains(t, p.Rollout(t.Context(), target, hurried(new(bytes.Buffer))), "a: not ready within 1h0m0s")
	require.Equal(t, "a=v2 b=v2 c=v2", p.lease().Annotations[labels.Stopped])

	other := changed("1", "other")
	other[0].Annotations[labels.Entry] = "other"
	p.put(machines, "kubevirt.io/v1", "VirtualMachine", other[0].VirtualMachine)
	p.put(instances, "kubevirt.io/v1", "VirtualMachineInstance", other[0].instance)
	p.put(dataVolumes, "cdi.kubevirt.io/v1beta1", "DataVolume", other[0].disks["other-root-2"])
	target.Machines["other"] = "generation-3"
	var log bytes.Buffer
	p.anotherRun()
	err := p.Rollout(t.Context(), target, options(&log))
	require.EqualError(t, err, "a and 2 more: an earlier rollout of this revision has stopped; "+
		`change the values, or run "vmrender rollout --retry"`)
	require.Contains(t, log.String(), "b: not restarted: a rollout of this revision has stopped here: disk b-root-2\n")
	require.NotContains(t, strings.Fields(p.asked()), "b")
	require.NotContains(t, strings.Fields(p.asked()), "c")

	p.sick["a"] = false
	p.start("a")
	target.Retry = true
	p.anotherRun()
	require.NoError(t, p.Rollout(t.Context(), target, options(&log)))
	require.ElementsMatch(t, []string{"a", "b", "c", "other"}, strings.Fields(p.asked()))
	require.NotContains(t, p.lease().Annotations, labels.Stopped)
}

// A change to a VM at which a rollout has stopped is rolled out.
func TestChangeAfterStop(t *testing.T) {
	all := changed("1", "a")
	p := play(t, all...)
	revision("v2", all...)
	of := record{stopped: map[string]string{"a": "v1", "gone": "v2"}}
	require.Equal(t, outdated, observe(all, &of)[0].stage)
	of.stopped["a"] = "v2"
	require.Equal(t, barred, observe(all, &of)[0].stage)
	bump(all[0], cdiv1.ImportInProgress)
	require.Equal(t, barred, observe(all, &of)[0].stage, "it is not waited for")
	require.Empty(t, p.asked())
}

// A rollout starts when all VMs have its revision and ends when one of them gets another.
func TestRolloutOfARevision(t *testing.T) {
	all := changed("1", "a", "b")
	target := revision("v2", all...)
	all[1].Annotations[labels.Content] = "v1"
	p := play(t, all...)
	p.held["a"] = true
	log := &lines{reached: make(chan string, 100)}
	o := options(new(bytes.Buffer))
	o.Log = log
	ended := make(chan error, 1)
	go func() { ended <- p.Rollout(t.Context(), target, o) }()
	log.await("waiting for this revision: 1 of 2 VirtualMachines have it")
	p.settle()
	require.Empty(t, p.asked())

	p.annotate("b", "v2")
	log.await("a: restarting (disk a-root-2)")
	p.annotate("b", "v3")
	require.NoError(t, <-ended)
	log.await("superseded: b has changed to another revision, which has a rollout of its own")
	require.Equal(t, "a", p.asked())
}

func (p *playedCluster) annotate(name, content string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.machine(name)
	m.Annotations[labels.Content] = content
	p.put(machines, "kubevirt.io/v1", "VirtualMachine", m)
}

// lines is a log that lets a test wait for its lines.
type lines struct{ reached chan string }

func (l *lines) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		l.reached <- strings.TrimSuffix(line, "\n")
	}
	return len(text), nil
}

func (l *lines) await(line string) {
	for next := range l.reached {
		if next == line {
			return
		}
	}
}

// The disks that the VMs ran from are recorded, the latest first.
func TestCompletedRolloutIsRecorded(t *testing.T) {
	m := running("a")
	for _, name := range []string{"a-root-0", "a-root-x"} {
		m.disks[name] = filled("a", name, cdiv1.Succeeded)
	}
	of := parseRecord(map[string]string{
		labels.Ran: "gone=gone-root-1 a=a-root-0,a-root-gone,a-root-1", labels.Stopped: "a=bad other=bad",
	})
	of.complete(observe([]*machine{m}, &of))
	annotations := map[string]string{}
	of.annotate(annotations)
	require.Equal(t, map[string]string{labels.Ran: "a=a-root-1,a-root-0", labels.Stopped: "other=bad"}, annotations)
}

// The disk that a VM last ran from is kept for the way back, whatever disks came later.
func TestRolloutKeepsTheWayBack(t *testing.T) {
	all := changed("1", "a")
	all[0].Annotations[labels.KeepOld] = "1"
	bad := filled("a", "a-root-bad", cdiv1.Succeeded)
	bad.CreationTimestamp.Time = bad.CreationTimestamp.AddDate(3000, 0, 0)
	all[0].disks[bad.Name] = bad
	p := play(t, all...)
	l := p.leaseOf("setup", &clock{})
	_, err := l.hold(t.Context())
	require.NoError(t, err)
	live := p.lease()
	live.Annotations = map[string]string{labels.Ran: "a=a-root-1"}
	_, err = update(context.Background(), p.Cluster, leases, "prod", live)
	require.NoError(t, err)

	require.NoError(t, p.Rollout(t.Context(), web, options(new(bytes.Buffer))))
	require.Equal(t, "a-root-1 a-root-2", p.names(dataVolumes))
	require.Equal(t, "a=a-root-2,a-root-1", strings.Replace(p.lease().Annotations[labels.Ran], ",a-root-bad", "", 1))
}

func TestParseMachines(t *testing.T) {
	got, err := ParseMachines([]string{"a=1", "b=2"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, got)
	for arg, want := range map[string]string{
		"a":   `invalid VirtualMachine "a"; expected VM=CONTENT`,
		"=1":  `invalid VirtualMachine "=1"; expected VM=CONTENT`,
		"a=":  `invalid VirtualMachine "a="; expected VM=CONTENT`,
		"b=2": `two contents of "b"; expected one`,
	} {
		_, err := ParseMachines([]string{"b=1", arg})
		require.EqualError(t, err, want)
	}
}
