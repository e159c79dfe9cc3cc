package e2e_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// server returns a running server of the lab.
func server(t *testing.T, name string) *process.Running {
	t.Helper()
	all := slices.Concat(lab.cluster.Servers(), lab.kubevirt.Servers(), lab.argo.Servers())
	i := slices.IndexFunc(all, func(r *process.Running) bool { return r.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}

// outage is a loss of servers.
type outage struct {
	servers []string
	// unanswered is true if Jobs notice it: their requests fail.
	unanswered bool
}

// outages are the losses that Jobs outlive.
var outages = []outage{
	{[]string{"kube-apiserver"}, true},
	{[]string{"etcd"}, true},
	{[]string{"virt-api", "cdi-apiserver"}, false},
	{[]string{"virt-controller"}, false},
	{[]string{"kube-controller-manager"}, false},
	{[]string{"argocd-application-controller"}, false},
	{[]string{"argocd-cmp-server"}, false},
}

// A rollout, a snapshot and a restart of a pet survive the loss of any server in their
// middle: each ends as it would have without, nothing is restarted twice, and no second
// snapshot is taken. The test has the cluster for itself, so it is not parallel, and runs only
// if the environment variable OUTAGE is set, as in the nightly workflow.
func TestOutages(t *testing.T) {
	if os.Getenv("OUTAGE") == "" {
		t.Skip("OUTAGE is not set")
	}
	rollout := newLifecycle(t, "outage-rollout", herd)
	change := newLifecycle(t, "outage-snapshot", "vms:\n  db: {memory: 4Gi, lifecycle: {snapshotBefore: true}}\n")
	restart := newLifecycle(t, "outage-pet", "vms: {db: {}}\n")
	for i, o := range outages {
		t.Log(o.servers)
		h := &hit{rollout: rollout, change: change, restart: restart}
		h.begin(i)
		h.strike(o)
		h.end()
	}
}

// hit is what is under way when an outage strikes.
type hit struct {
	rollout, change, restart *scenario

	revisions map[*scenario]string
	instances map[string]string // of the herd before, by VM
	snapshots int               // before
	disks     map[string]string // of the pet
	logs      func() string     // of the Jobs
}

// begin brings a rollout, a snapshot and a restart to their middle.
func (h *hit) begin(i int) {
	h.revisions = map[*scenario]string{}
	h.instances, h.disks = texts(h.rollout.instances()), texts(h.restart.disks())
	h.snapshots = len(h.change.names(kubevirt.Snapshots))
	for _, s := range []*scenario{h.rollout, h.restart} {
		s.will(kubevirt.Instances, "", kubevirt.Wait)
	}
	h.change.will(kubevirt.Snapshots, "", kubevirt.Wait)

	h.rollout.replace("vms.yaml", `version: "`+strconv.Itoa(i+1)+`"`, `version: "`+strconv.Itoa(i+2)+`"`)
	h.revisions[h.rollout] = h.rollout.push("Another image")
	memory := []string{"4Gi", "6Gi"}
	h.change.replace("vms.yaml", memory[i%2], memory[(i+1)%2])
	h.revisions[h.change] = h.change.push("Other memory")
	before := h.restart.instances()
	require.NoError(h.restart, lab.cluster.Resource(kubevirt.Instances).Namespace(h.restart.name).
		Delete(h.restart.Context(), "db", metav1.DeleteOptions{}))

	h.rollout.eventually("two restarted", func() bool { return len(h.restarted()) == 2 })
	h.change.eventually("a snapshot", func() bool { return len(h.change.names(kubevirt.Snapshots)) == h.snapshots+1 })
	h.restart.eventually("a new instance", func() bool { return len(h.restart.changed(before, false)) == 1 })
	h.watchLogs()
}

// watchLogs sets the function that reads the logs of the Jobs, also without an API server.
func (h *hit) watchLogs() {
	var pods [][2]string
	for s, job := range map[*scenario]string{h.rollout: "-rollout", h.change: "-snapshot"} {
		s.eventually("a pod", func() bool { return len(s.pods(job)) > 0 })
		for _, pod := range s.pods(job) {
			pods = append(pods, [2]string{s.name, pod.GetName()})
		}
	}
	h.logs = func() string {
		var out strings.Builder
		for _, pod := range pods {
			log, _ := lab.kubelet.Log(pod[0], pod[1]) //nolint:errcheck // a pod that has not begun has no log
			out.WriteString(log)
		}
		return out.String()
	}
}

// restarted returns the VMs of the herd that run as another instance than before.
func (h *hit) restarted() []string {
	var out []string
	for name, uid := range texts(h.rollout.instances()) {
		if h.instances[name] != uid {
			out = append(out, name)
		}
	}
	return out
}

// ready returns how many VMs of the herd are ready as another instance than before.
func (h *hit) ready() int {
	n := 0
	for _, vmi := range h.rollout.list(kubevirt.Instances) {
		if isReady(vmi) && h.instances[vmi.GetName()] != string(vmi.GetUID()) {
			n++
		}
	}
	return n
}

// strike loses servers, and starts them again: if Jobs notice, once they have, otherwise once
// the first two guests of the rollout are ready without them.
func (h *hit) strike(o outage) {
	t := h.rollout.T
	said := strings.Count(h.logs(), "trying again")
	for _, name := range o.servers {
		server(t, name).Stop()
	}
	if o.unanswered {
		h.rollout.eventually("both Jobs in trouble", func() bool {
			return strings.Count(h.logs(), "trying again") >= said+2
		})
	} else {
		require.Len(t, h.restarted(), 2)
		h.rollout.will(kubevirt.Instances, "", kubevirt.Done)
		h.rollout.eventually("two guests", func() bool { return h.ready() >= 2 })
	}
	for _, name := range o.servers {
		require.NoError(t, server(t, name).Again(t.Context()))
	}
	if o.unanswered {
		h.rollout.settle(func() error {
			_, err := lab.cluster.Resource(kubevirt.Instances).Namespace(h.rollout.name).List(t.Context(), metav1.ListOptions{})
			return err
		})
		require.Len(t, h.restarted(), 2, "the others wait for the first two")
	}
}

// end lets everything become ready, and checks the result.
func (h *hit) end() {
	for _, s := range []*scenario{h.rollout, h.restart} {
		s.settle(func() error { return lab.kubevirt.Set(s.Context(), kubevirt.Instances, s.name, "", kubevirt.Done) })
	}
	h.change.settle(func() error {
		return lab.kubevirt.Set(h.change.Context(), kubevirt.Snapshots, h.change.name, "", kubevirt.Done)
	})
	for s, revision := range h.revisions {
		s.wait(argo.Synced(revision))
		require.NotContains(s, fmt.Sprint(s.status()), "failed")
	}
	require.Len(h.rollout, h.restarted(), 4)
	require.Len(h.change, h.change.names(kubevirt.Snapshots), h.snapshots+1, "one for the change")
	h.restart.eventually("the pet again", func() bool { return h.restart.ready("db") })
	require.Equal(h.restart, h.disks, texts(h.restart.disks()))
	h.restart.stands(nil)
}

// settle repeats a request until the cluster accepts it.
func (s *scenario) settle(try func() error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	require.NoError(s, process.Poll(ctx, func(context.Context) error { return try() }))
}

// texts returns a map with its values as texts.
func texts[V any](m map[string]V) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = fmt.Sprint(v)
	}
	return out
}
