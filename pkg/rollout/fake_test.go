package rollout

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// playedCluster is a simulated cluster. client-go's fake stores the objects, and the
// subresources behave as in KubeVirt: a restart replaces the running instance with one
// that has the VM's present disks.
type playedCluster struct {
	*Cluster
	t       *testing.T
	objects *fake.FakeDynamicClient

	mu       sync.Mutex
	answers  []int           // statuses of the next responses to restart requests; then 202
	sick     map[string]bool // VMs that never become ready again
	held     map[string]bool // VMs whose new instance is never created
	asking   func()          // called before each restart request is handled; nil for nothing
	serving  sync.WaitGroup  // the requests that are being handled, also those whose client has gone
	restarts []string        // in the order of the requests
	down     int             // the largest number of VMs down at the same time

	// The fake loses changes between an informer's list and its watch, so nothing changes
	// until all runs so far watch everything.
	runs    int
	watched map[schema.GroupVersionResource]int
}

func play(t *testing.T, all ...*machine) *playedCluster {
	kinds := map[schema.GroupVersionResource]string{
		machines: "VirtualMachineList", instances: "VirtualMachineInstanceList", dataVolumes: "DataVolumeList",
		snapshots: "VirtualMachineSnapshotList", restores: "VirtualMachineRestoreList",
		snapshotContents: "VirtualMachineSnapshotContentList",
		events:           "EventList", leases: "LeaseList", patchKinds[ansibleKind]: "AnsibleJobList",
	}
	p := &playedCluster{
		t: t, objects: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds),
		sick: map[string]bool{}, held: map[string]bool{}, runs: 1, watched: map[schema.GroupVersionResource]int{},
	}
	p.objects.PrependWatchReactor("*", p.watch)
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(server.Close)
	raw, err := rawClient(&rest.Config{Host: server.URL, QPS: -1})
	require.NoError(t, err)
	p.Cluster = &Cluster{objects: p.objects, raw: raw}
	for _, m := range all {
		p.put(machines, "kubevirt.io/v1", "VirtualMachine", m.VirtualMachine)
		if m.instance != nil {
			p.put(instances, "kubevirt.io/v1", "VirtualMachineInstance", m.instance)
		}
		for _, disk := range m.disks {
			p.put(dataVolumes, "cdi.kubevirt.io/v1beta1", "DataVolume", disk)
		}
	}
	return p
}

func (p *playedCluster) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	w, err := p.objects.Tracker().Watch(action.GetResource(), action.GetNamespace())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watched[action.GetResource()]++
	return true, w, err
}

// anotherRun announces one more run.
func (p *playedCluster) anotherRun() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs++
}

// settle waits until all runs so far watch everything.
func (p *playedCluster) settle() {
	require.Eventually(p.t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return min(p.watched[machines], p.watched[instances], p.watched[dataVolumes]) >= p.runs
	}, time.Minute, time.Millisecond)
}

// settling is the log of a run that may end before it asks for anything: it continues when it watches everything.
type settling struct{ *playedCluster }

func (p settling) Write(text []byte) (int, error) {
	p.settle()
	return len(text), nil
}

// put creates an object, or updates it if it exists.
func (p *playedCluster) put(resource schema.GroupVersionResource, apiVersion, kind string, object any) {
	text, err := json.Marshal(object)
	require.NoError(p.t, err)
	u := &unstructured.Unstructured{}
	require.NoError(p.t, json.Unmarshal(text, &u.Object)) // into the few types that support deep copies
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	client := p.objects.Resource(resource).Namespace("prod")
	if _, err = client.Get(context.Background(), u.GetName(), metav1.GetOptions{}); err == nil {
		_, err = client.Update(context.Background(), u, metav1.UpdateOptions{})
	} else {
		_, err = client.Create(context.Background(), u, metav1.CreateOptions{})
	}
	require.NoError(p.t, err)
}

// machine returns a VM.
func (p *playedCluster) machine(name string) *kubevirtv1.VirtualMachine {
	vm, err := get[kubevirtv1.VirtualMachine](context.Background(), p.Cluster, machines, "prod", name)
	require.NoError(p.t, err)
	return vm
}

// names lists the objects of a resource.
func (p *playedCluster) names(resource schema.GroupVersionResource) string {
	list, err := p.objects.Resource(resource).Namespace("prod").List(context.Background(), metav1.ListOptions{})
	require.NoError(p.t, err)
	var out []string
	for i := range list.Items {
		out = append(out, list.Items[i].GetName())
	}
	return strings.Join(out, " ")
}

func (p *playedCluster) serve(w http.ResponseWriter, r *http.Request) {
	p.serving.Add(1)
	defer p.serving.Done()
	p.settle()
	if p.asking != nil {
		p.asking()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var name, action string
	path := strings.ReplaceAll(r.URL.Path, "/", " ")
	const request = " apis subresources.kubevirt.io v1 namespaces prod virtualmachines %s %s"
	_, err := fmt.Sscanf(path, request, &name, &action)
	if err != nil || r.Method != http.MethodPut || !slices.Contains([]string{restartVM, stopVM, startVM}, action) {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	if len(p.answers) > 0 {
		status := p.answers[0]
		p.answers = p.answers[1:]
		http.Error(w, "no", status)
		return
	}
	if action == restartVM {
		p.restarts = append(p.restarts, name)
	} else {
		p.restarts = append(p.restarts, action+":"+name)
	}
	w.WriteHeader(http.StatusAccepted)
	if action != startVM && (action == restartVM || !p.held[name]) {
		p.stop(name)
	}
	if action == stopVM && !p.held[name] {
		p.stopped(name)
	}
	if action != stopVM && !p.held[name] {
		go p.start(name)
	}
}

// stopped does the last step of KubeVirt at a VM that is to stay off.
func (p *playedCluster) stopped(name string) {
	vm := p.machine(name)
	vm.Status.StateChangeRequests, vm.Status.Created = nil, false
	vm.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusStopped
	p.put(machines, "kubevirt.io/v1", "VirtualMachine", vm)
}

// stop does the first step of KubeVirt: it stores the request and deletes the instance.
func (p *playedCluster) stop(name string) {
	vm := p.machine(name)
	m := &machine{VirtualMachine: vm}
	notReady(m)
	vm.Status.StateChangeRequests = []kubevirtv1.VirtualMachineStateChangeRequest{{Action: "Start"}}
	p.put(machines, "kubevirt.io/v1", "VirtualMachine", vm)
	require.NoError(p.t, p.objects.Resource(instances).Namespace("prod").
		Delete(context.Background(), name, metav1.DeleteOptions{}))

	list, err := p.objects.Resource(instances).Namespace("prod").List(context.Background(), metav1.ListOptions{})
	require.NoError(p.t, err)
	all, err := p.objects.Resource(machines).Namespace("prod").List(context.Background(), metav1.ListOptions{})
	require.NoError(p.t, err)
	p.down = max(p.down, len(all.Items)-len(list.Items))
}

// start creates the new instance.
func (p *playedCluster) start(name string) {
	p.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	vm := p.machine(name)
	vm.Status.StateChangeRequests, vm.Status.Created = nil, true
	vm.Status.PrintableStatus = kubevirtv1.VirtualMachineStatusRunning
	m := &machine{VirtualMachine: vm}
	set(m, kubevirtv1.VirtualMachineRestartRequired, corev1.ConditionFalse)
	ready := corev1.ConditionTrue
	if p.sick[name] {
		ready = corev1.ConditionFalse
	}
	set(m, kubevirtv1.VirtualMachineReady, ready)
	p.put(instances, "kubevirt.io/v1", "VirtualMachineInstance", &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "prod", UID: types.UID(fmt.Sprintf("%s-%d", name, len(p.restarts))),
		},
		Spec:   kubevirtv1.VirtualMachineInstanceSpec{Volumes: vm.Spec.Template.Spec.Volumes},
		Status: instanceStatus(ready),
	})
	p.put(machines, "kubevirt.io/v1", "VirtualMachine", vm)
}

// asked returns the restarts so far.
func (p *playedCluster) asked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.restarts, " ")
}

func (p *playedCluster) mostDown() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

// options returns the options of a test that waits as long as necessary.
func options(log *bytes.Buffer) Options {
	return Options{Namespace: "prod", Timeout: time.Minute, Log: log, Now: time.Now, Tick: time.Millisecond}
}

// hurried returns options with a clock that advances by a minute each time it is read.
func hurried(log *bytes.Buffer) Options {
	o := options(log)
	o.Timeout = time.Hour
	var minutes atomic.Int64
	o.Now = func() time.Time { return noon.Add(time.Duration(minutes.Add(1)) * time.Minute) }
	return o
}
