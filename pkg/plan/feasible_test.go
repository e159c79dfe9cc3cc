package plan_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
)

// rooms are clusters in which the pet's memory doubles, which needs a migration.
var rooms = []struct {
	name  string
	make  func(*world)
	level impact.Level
	code  impact.Code
	says  []string
	hides []string
}{
	{name: "nothing known of nodes", make: movable, level: impact.Migrate, code: "plugged", says: []string{"the state in the cluster has no Nodes"}},
	{name: "room on another node", make: func(w *world) { movable(w); w.nodes("20Gi") }, level: impact.Migrate, code: "plugged", says: []string{"has no Pods"}},
	{name: "no room on another node", make: func(w *world) { movable(w); w.nodes("7Gi") }, level: impact.Restart, code: "no-room", says: []string{"of the nodes that can run the VM, except a1, none has more than 7Gi of memory free, and a second pod needs 8Gi or more"}, hides: []string{"has no Pods"}},
	{name: "machines take the room", make: func(w *world) {
		movable(w)
		w.nodes("12Gi")
		w.add(object{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": object{"name": "x", "namespace": "other"}, "spec": object{"domain": object{"memory": object{"guest": "5Gi"}}}, "status": object{"nodeName": "a2", "phase": "Running"}})
	}, level: impact.Restart, code: "no-room", says: []string{"none has more than 7Gi"}},
	{name: "machines that have ended do not", make: func(w *world) {
		movable(w)
		w.nodes("12Gi")
		w.add(object{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": object{"name": "x", "namespace": "other"}, "spec": object{"domain": object{"memory": object{"guest": "5Gi"}}}, "status": object{"nodeName": "a2", "phase": "Succeeded"}})
	}, level: impact.Migrate, code: "plugged"},
	{name: "pods take the room", make: func(w *world) { movable(w); w.nodes("12Gi"); w.pod("a2", "5Gi") }, level: impact.Restart, code: "no-room", says: []string{"none has more than 7Gi"}},
	{name: "pods leave room", make: func(w *world) { movable(w); w.nodes("12Gi"); w.pod("a1", "5Gi") }, level: impact.Migrate, code: "plugged", hides: []string{"has no Pods", "has no Nodes"}},
	{name: "a node that does not say what it has", make: func(w *world) { movable(w); w.nodes("") }, level: impact.Migrate, code: "plugged"},
	{name: "hugepages are not memory", make: func(w *world) {
		movable(w)
		w.applied(set("2Mi", "spec.template.spec.domain.memory.hugepages.pageSize"))
		w.nodes("1Gi")
		w.quota("1Gi", "0")
	}, level: impact.Migrate, code: "plugged"},
	{name: "overcommitted", make: func(w *world) {
		movable(w)
		w.nodes("5Gi")
		w.kubevirt(object{"developerConfiguration": object{"memoryOvercommit": 200}}, nil)
	}, level: impact.Migrate, code: "plugged"},
	{name: "requests less", make: func(w *world) {
		movable(w)
		w.applied(set("1Gi", "spec.template.spec.domain.resources.requests.memory"))
		w.nodes("2Gi")
	}, level: impact.Migrate, code: "plugged"},

	{name: "quota for both", make: func(w *world) { movable(w); w.quota("12Gi", "4Gi") }, level: impact.Migrate, code: "plugged"},
	{name: "quota for one", make: func(w *world) { movable(w); w.quota("10Gi", "4Gi") }, level: impact.Restart, code: "no-room", says: []string{"ResourceQuota team has 6Gi of requests.memory left"}},
	{name: "quota for none", make: func(w *world) { movable(w); w.quota("7Gi", "4Gi") }, level: impact.Refused, code: "no-room", says: []string{"it cannot, and a restart cannot either: the ResourceQuota team has 3Gi", "would not start again"}},
	{name: "quota of pods", make: func(w *world) {
		movable(w)
		w.add(object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "pods", "namespace": "prod"}, "status": object{"hard": object{"count/pods": "3"}, "used": object{"count/pods": "3"}}})
	}, level: impact.Restart, code: "no-room", says: []string{"0 of pods left"}},

	{name: "claim of one node", make: func(w *world) {
		w.nodes("20Gi")
		w.claim("db", "ReadWriteOnce")
	}, level: impact.Restart, code: "cannot-migrate"},
	{name: "claim of many nodes", make: func(w *world) {
		w.nodes("20Gi")
		w.claim("db", "ReadWriteMany")
	}, level: impact.Migrate, code: "plugged"},
	{name: "the condition counts more than claims", make: func(w *world) { movable(w); w.claim("db", "ReadWriteOnce") }, level: impact.Migrate, code: "plugged"},

	{name: "its node is drained", make: func(w *world) {
		movable(w)
		w.nodes("20Gi")
		setIn(w.others[len(w.others)-2], splitPath("spec.unschedulable"), true)
	}, level: impact.Migrate, code: "plugged", says: []string{"its node a1 is being drained or updated"}},
	{name: "its node is updated", make: func(w *world) {
		movable(w)
		w.nodes("20Gi")
		setIn(w.others[len(w.others)-2], splitPath("metadata.annotations.machineconfiguration~openshift~io/state"), "Working")
	}, level: impact.Migrate, code: "plugged", says: []string{"its node a1 is being drained or updated"}},
	{name: "backup", make: func(w *world) { movable(w); w.backup("b", "VirtualMachine", "db") }, level: impact.Migrate, code: "plugged", says: []string{"the backup b is not complete"}},
	{name: "backup by a tracker", make: func(w *world) {
		movable(w)
		w.backup("b", "VirtualMachineBackupTracker", "t")
		w.add(object{"apiVersion": "backup.kubevirt.io/v1alpha1", "kind": "VirtualMachineBackupTracker", "metadata": object{"name": "t", "namespace": "prod"}, "spec": object{"source": object{"kind": "VirtualMachine", "name": "db"}}})
	}, level: impact.Migrate, code: "plugged", says: []string{"the backup b is not complete"}},
	{name: "backups of others, and past ones", make: func(w *world) {
		movable(w)
		w.backup("b", "VirtualMachine", "web")
		w.backup("c", "VirtualMachine", "db")
		w.others[len(w.others)-1]["status"] = object{"conditions": []any{object{"type": "Complete", "status": "True"}}}
	}, level: impact.Migrate, code: "plugged", hides: []string{"backup"}},
	{name: "KubeVirt was upgraded", make: func(w *world) {
		movable(w)
		w.kubevirt(object{}, object{"outdatedVirtualMachineInstanceWorkloads": 3})
	}, level: impact.Migrate, code: "plugged", says: []string{"3 VMs run from before it"}},
}

// movable makes the instance live-migratable.
func movable(w *world) {
	w.instance["status"].(object)["conditions"] = []any{object{"type": "LiveMigratable", "status": "True"}}
}

// nodes adds the node of the instance and another one that can run it.
func (w *world) nodes(allocatable string) {
	w.instance["status"].(object)["nodeName"] = "a1"
	for _, name := range []string{"a1", "a2"} {
		status := object{"conditions": []any{object{"type": "Ready", "status": "True"}}}
		if allocatable != "" {
			status["allocatable"] = object{"memory": allocatable}
		}
		w.add(object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name, "labels": object{"zone": "a"}}, "spec": object{}, "status": status})
	}
}

func (w *world) pod(node, memory string) {
	w.add(object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "p", "namespace": "other"}, "spec": object{
		"nodeName": node, "containers": []any{object{"name": "c", "resources": object{"requests": object{"memory": memory}}}},
	}})
}

func (w *world) quota(hard, used string) {
	w.add(object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "team", "namespace": "prod"}, "status": object{
		"hard": object{"requests.memory": hard}, "used": object{"requests.memory": used},
	}})
}

func (w *world) claim(name, mode string) {
	w.add(object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object{"name": name, "namespace": "prod"}, "spec": object{"accessModes": []any{mode}}})
}

func (w *world) backup(name, kind, of string) {
	w.add(object{"apiVersion": "backup.kubevirt.io/v1alpha1", "kind": "VirtualMachineBackup", "metadata": object{"name": name, "namespace": "prod"}, "spec": object{"source": object{"kind": kind, "name": of}}})
}

// kubevirt adds KubeVirt settings that live-migrate VMs for changes.
func (w *world) kubevirt(config, status object) {
	w.add(object{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": object{"name": "kubevirt", "namespace": "kubevirt"}, "spec": object{
		"configuration": config, "workloadUpdateStrategy": object{"workloadUpdateMethods": []any{"LiveMigrate"}},
	}, "status": status})
}

func TestFeasible(t *testing.T) {
	for _, test := range rooms {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.make(w)
			was := encode(t, w.git)
			set("8Gi", memory)(w.git)
			p := plan.New(was, encode(t, w.git), plan.Options{Cluster: w.cluster, Live: encode(t, w.state())})
			v := verdictOf(t, p)
			require.Equal(t, test.level, v.Level, "%+v", v.Causes)
			require.Equal(t, test.code, v.Causes[0].Code)
			said := told(p)
			for _, part := range test.says {
				require.Contains(t, said, part)
			}
			for _, part := range test.hides {
				require.NotContains(t, said, part)
			}
		})
	}
}

// VMs migrate in waves, limited by the cluster's settings for all VMs and for each node.
func TestWaves(t *testing.T) {
	for _, test := range []struct {
		name     string
		machines int
		node     func(i int) string
		config   object
		want     string
	}{
		{"one", 1, func(int) string { return "a" }, object{}, ""},
		{"two", 2, func(int) string { return "a" }, object{}, "2 VMs migrate, at most 5 at a time, and 2 from each node: one wave; KubeVirt gives each up to 10 minutes for its memory, and all of them together take 10 minutes at most"},
		{"of one node", 5, func(int) string { return "a" }, object{}, ": 3 waves; KubeVirt gives each up to 10 minutes for its memory, and all of them together take 30 minutes"},
		{"of many nodes", 12, strconv.Itoa, object{}, ": 3 waves; "},
		{"with settings", 12, strconv.Itoa, object{"parallelMigrationsPerCluster": 4, "completionTimeoutPerGiB": 3600}, "at most 4 at a time, and 2 from each node: 3 waves; KubeVirt gives each up to 4 hours for its memory, and all of them together take 12 hours"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			movable(w)
			w.kubevirt(object{"migrations": test.config}, nil)
			w.instance["status"].(object)["nodeName"] = test.node(0)
			for i := 1; i < test.machines; i++ {
				more := newWorld(t)
				movable(more)
				for _, o := range []object{more.git[0], more.vm, more.instance} {
					o["metadata"].(object)["name"] = fmt.Sprintf("db-%d", i)
				}
				more.instance["status"].(object)["nodeName"] = test.node(i)
				w.git = append(w.git, more.git[0])
				w.add(more.vm)
				w.add(more.instance)
			}
			was := encode(t, w.git)
			for i := range w.git {
				if w.git[i]["kind"] == "VirtualMachine" {
					setIn(w.git[i], splitPath(memory), "8Gi")
				}
			}
			p := plan.New(was, encode(t, w.git), plan.Options{Cluster: w.cluster, Live: encode(t, w.state())})
			if notes := strings.Join(p.Notes, "\n"); test.want == "" {
				require.NotContains(t, notes, "wave")
			} else {
				require.Contains(t, notes, test.want)
			}
		})
	}
}

// A rollout restarts the VMs of an entry in batches. It does not restart VMs that only
// lack room for a migration.
func TestBatches(t *testing.T) {
	machines := func(most string, memory string) []object {
		all := load(t, "rollout")
		args := []any{"rollout"}
		for i := range 6 {
			vm := load(t, "rollout")[0]
			name := fmt.Sprintf("web-%d", i)
			vm["metadata"] = object{"name": name, "namespace": "prod", "labels": object{"vmrender.io/rollout": "shop-1"}, "annotations": object{
				"vmrender.io/content": memory, "vmrender.io/entry": "web", "vmrender.io/max-unavailable": most,
			}}
			setIn(vm, splitPath("spec.template.spec.hostname"), memory)
			all, args = append(all, vm), append(args, name+"="+memory)
		}
		set(args, "spec.template.spec.containers.0.args")(all[1:2])
		return all
	}
	for most, want := range map[string]string{"1": ": 6 batches or more", "2": ": 3 batches or more", "50%": ": 2 batches or more", "6": "until they are ready"} {
		p := plan.New(encode(t, machines(most, "a")), encode(t, machines(most, "b")), plan.Options{Cluster: openshift})
		require.Len(t, p.Jobs, 1)
		require.True(t, strings.HasSuffix(p.Jobs[0].Does, want), "%s: %s", most, p.Jobs[0].Does)
	}
}
