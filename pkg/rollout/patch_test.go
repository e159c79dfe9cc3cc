package rollout

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/labels"
)

const ansibleJobText = `{"apiVersion": "tower.ansible.com/v1alpha1", "kind": "AnsibleJob",
	"metadata": {"generateName": "db-patch-", "labels": {"app": "db"}},
	"spec": {"connection_secret": "aap", "job_template_name": "patch"}}`

func TestParsePatchJob(t *testing.T) {
	for text, want := range map[string]string{
		"{":                                   "unexpected end of JSON input; expected the JSON of an AnsibleJob or a Job",
		`{"kind": "Pod", "apiVersion": "v1"}`: `unknown kind "Pod" of "v1"; expected`,
		`{"kind": "Job", "apiVersion": "batch/v1"}`: "no generateName; expected",
	} {
		_, err := ParsePatchJob([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

// The ends of jobs, as the API server and the operators write them.
func TestPatchJobEnd(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                    "runs",
		`{"isFinished": false}`: "runs",
		`{"ansibleJobResult": {"status": "running"}}`:                        "runs",
		`{"ansibleJobResult": {"status": "successful"}}`:                     "",
		`{"ansibleJobResult": {"status": "canceled"}}`:                       "its result is canceled: see the platform",
		`{"ansibleJobResult": {"status": "failed", "url": "https://aap/7"}}`: "its result is failed: https://aap/7",
		`{"isFinished": true, "ansibleJobResult": {"status": "successful"}}`: "",
		`{"isFinished": true, "message": "This job instance reached its backoff limit."}`: "it has ended without a result: " +
			"This job instance reached its backoff limit.",
		`{"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]}`:                                        "runs",
		`{"conditions": [{"type": "Failed", "status": "False"}]}`:                                                   "runs",
		`{"conditions": [{"type": "Complete", "status": "True"}]}`:                                                  "",
		`{"conditions": [{"type": "Failed", "status": "True", "reason": "PodFailurePolicy", "message": "exit 4"}]}`: "exit 4",
		`{"conditions": [{"type": "Running", "status": "True", "message": "Awaiting next reconciliation"}]}`:        "runs",
	} {
		u := &unstructured.Unstructured{}
		withStatus := strings.Replace(ansibleJobText, `"spec"`, `"status": `+text+`, "spec"`, 1)
		require.NoError(t, u.UnmarshalJSON([]byte(withStatus)))
		job := &patchJob{}
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, job))
		ended, failure := job.end()
		got := failure
		if !ended {
			got = "runs"
		}
		require.Equal(t, want, got, text)
	}
}

// patching is a simulated cluster in which jobs and snapshots end as a test says.
type patching struct {
	*playedCluster
	steps    []string // what was created, and "ready" for each look at a VM that is ready
	result   string   // of jobs
	snapshot string   // phase of snapshots
	after    func()   // called when a job ends; nil for nothing
}

func patchable(t *testing.T, m *machine) *patching {
	p := &patching{playedCluster: play(t, m), result: "successful", snapshot: "Succeeded"}
	p.runs = 0 // nothing is watched
	p.objects.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		u := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		switch u.GetKind() {
		case "VirtualMachineSnapshot":
			p.steps = append(p.steps, "snapshot")
			u.SetCreationTimestamp(metav1.NewTime(noon))
			u.Object["status"] = map[string]any{"phase": p.snapshot, "readyToUse": p.snapshot == "Succeeded"}
		case "AnsibleJob":
			p.steps = append(p.steps, "job")
			u.SetName(u.GetGenerateName() + "x7k2p")
			p.end(u)
		}
		return false, nil, nil
	})
	return p
}

func (p *patching) end(job *unstructured.Unstructured) {
	if p.result != "" {
		job.Object["status"] = map[string]any{"ansibleJobResult": map[string]any{"status": p.result}}
	}
	if p.after != nil {
		p.after()
	}
}

// earlier adds a job of another run, with a result or "".
func (p *patching) earlier(name, run, result string) {
	job, err := ParsePatchJob([]byte(ansibleJobText))
	require.NoError(p.t, err)
	job.SetName(name)
	job.SetNamespace("prod")
	job.SetLabels(map[string]string{labels.PatchOf: "db", labels.PatchRun: run})
	if result != "" {
		job.Object["status"] = map[string]any{"ansibleJobResult": map[string]any{"status": result}}
	}
	require.NoError(p.t, p.objects.Tracker().Create(patchKinds[ansibleKind], job, "prod"))
}

func (p *patching) run(snapshot bool) (string, error) {
	job, err := ParsePatchJob([]byte(ansibleJobText))
	require.NoError(p.t, err)
	var log bytes.Buffer
	o := options(&log)
	now := noon
	o.Now = func() time.Time { now = now.Add(10 * time.Second); return now }
	o.Timeout = 5 * time.Minute
	err = p.Patch(p.t.Context(), Patch{
		Machine: "db", Job: job, Snapshot: snapshot, Run: PatchRun{Name: "db-patch-1", UID: "uid-1"},
	}, o)
	return log.String(), err
}

// change changes the VM in the cluster, also while a request is handled.
func (p *patching) change(change func(*machine)) {
	object, err := p.objects.Tracker().Get(machines, "prod", "db")
	require.NoError(p.t, err)
	vm := &kubevirtv1.VirtualMachine{}
	u := object.(*unstructured.Unstructured)
	require.NoError(p.t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, vm))
	change(&machine{VirtualMachine: vm})
	text, err := json.Marshal(vm)
	require.NoError(p.t, err)
	require.NoError(p.t, u.UnmarshalJSON(text))
	require.NoError(p.t, p.objects.Tracker().Update(machines, u, "prod"))
}

// Each row is an outcome of docs/how-to/patch.md.
func TestPatch(t *testing.T) {
	for name, c := range map[string]struct {
		vm       func(*machine)
		before   func(*patching)
		snapshot bool
		steps    string
		events   string
		log, err string
	}{
		"patched": {
			steps: "job", events: "Normal Patched",
			log: "db: starting Ansible\ndb: AnsibleJob db-patch-x7k2p has succeeded\ndb: patched and ready\n",
		},
		"patched after a snapshot": {
			snapshot: true, steps: "snapshot job", events: "Normal Patched", log: "db: taking snapshot db-pre-patch-",
		},
		"the snapshot fails": {
			before: func(p *patching) { p.snapshot = "Failed" }, snapshot: true, steps: "snapshot",
			events: "Warning PatchFailed", err: "failed; the next run takes another; nothing was changed",
		},
		"the job fails": {
			before: func(p *patching) { p.result = "failed" }, steps: "job", events: "Warning PatchFailed",
			err: "db: AnsibleJob db-patch-x7k2p has failed: its result is failed: see the platform",
		},
		"the job does not end": {
			before: func(p *patching) { p.result = "" }, steps: "job", events: "Warning PatchFailed",
			err: "db: not done within 5m0s: waiting for AnsibleJob db-patch-x7k2p",
		},
		"the VM is stopped": {
			vm: isOff, events: "Warning PatchSkipped", log: "db: not patched: it does not run\n",
		},
		"the VM is not ready": {
			vm: notReady, events: "Warning PatchSkipped", log: "db: not patched: it is not ready: ",
		},
		"the VM is paused": {
			vm:     func(m *machine) { set(m, kubevirtv1.VirtualMachinePaused, corev1.ConditionTrue) },
			events: "Warning PatchSkipped", log: "db: not patched: it is paused\n",
		},
		"the guest does not come back": {
			before: func(p *patching) { p.after = func() { p.change(notReady) } }, steps: "job",
			events: "Warning PatchFailed", err: "db: not done within 5m0s: patched, but not ready: ",
		},
		"the guest comes back later": {
			before: func(p *patching) {
				p.after = func() { p.change(notReady) }
				looks := 0
				p.objects.PrependReactor("get", "virtualmachines", func(clienttesting.Action) (bool, runtime.Object, error) {
					if looks++; looks == 6 {
						p.change(func(m *machine) { set(m, kubevirtv1.VirtualMachineReady, corev1.ConditionTrue) })
					}
					return false, nil, nil
				})
			},
			steps: "job", events: "Normal Patched", log: "db: patched, but not ready: ",
		},
		"an earlier job runs": {
			before: func(p *patching) { p.earlier("db-patch-old", "uid-0", "") }, snapshot: true,
			events: "Warning PatchFailed", err: "not done within 5m0s: waiting for AnsibleJob db-patch-old",
		},
		"an earlier job has ended": {
			before: func(p *patching) { p.earlier("db-patch-old", "uid-0", "failed") }, steps: "job",
			events: "Normal Patched",
		},
		"another pod of the same run": {
			before: func(p *patching) { p.earlier("db-patch-own", "uid-1", "successful") },
			events: "Normal Patched", log: "db: AnsibleJob db-patch-own has succeeded\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := powered("db")
			if c.vm != nil {
				c.vm(m)
			}
			p := patchable(t, m)
			if c.before != nil {
				c.before(p)
			}
			log, err := p.run(c.snapshot)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
			require.Contains(t, log, c.log)
			require.Equal(t, c.steps, strings.Join(p.steps, " "))
			require.Equal(t, c.events, p.told("db"))
		})
	}
}

// The job belongs to the Job of the run, and keeps the labels of its manifest.
func TestPatchJobObject(t *testing.T) {
	p := patchable(t, powered("db"))
	_, err := p.run(false)
	require.NoError(t, err)
	list, err := p.objects.Resource(patchKinds[ansibleKind]).Namespace("prod").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	require.Equal(t, map[string]string{"app": "db", labels.PatchOf: "db", labels.PatchRun: "uid-1"},
		list.Items[0].GetLabels())
	require.Equal(t, []metav1.OwnerReference{{
		APIVersion: "batch/v1", Kind: "Job", Name: "db-patch-1", UID: "uid-1",
	}}, list.Items[0].GetOwnerReferences())
}

// A VM that does not exist needs no patch, and an API server that does not answer has another run.
func TestPatchWithoutVM(t *testing.T) {
	p := patchable(t, powered("web"))
	log, err := p.run(false)
	require.NoError(t, err)
	require.Contains(t, log, "db: not there, so there is nothing to patch\n")

	p = patchable(t, powered("db"))
	p.objects.PrependReactor("list", "ansiblejobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcd is away")
	})
	_, err = p.run(false)
	_, away := errors.AsType[*UnavailableError](err)
	require.True(t, away, err)
	require.Empty(t, p.told("db"))
}
