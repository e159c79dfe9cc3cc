package e2e_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// What a plan says of a commit, and what the cluster shows to have happened, as levels that can be compared. The latter
// does not use the code of the plan.

// verdict is what a plan says of a VM: its level, and the code of the cause that it names first.
type verdict struct {
	Level impact.Level
	Code  impact.Code
}

// verdicts returns what the plan of the files that are not committed yet says of the VMs that it lists, by name. Before the
// commit, Argo CD cannot have synced them.
func (s *scenario) verdicts() map[string]verdict {
	s.Helper()
	return s.planned("--from", "HEAD")
}

// verdictsLive returns what the plan says that also reads the cluster.
func (s *scenario) verdictsLive() map[string]verdict {
	s.Helper()
	return s.planned("--from", "HEAD", "--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig)
}

// planned returns what a plan with these flags says of the VMs that it lists, by name.
func (s *scenario) planned(flags ...string) map[string]verdict {
	s.Helper()
	stdout, _ := s.command(append([]string{"plan", s.repository.Dir, "--namespace", s.name, "-o", "json"}, flags...)...)
	var report struct {
		VMs []struct {
			Name   string
			Level  impact.Level
			Causes []struct{ Code impact.Code }
		}
	}
	require.NoError(s, json.Unmarshal([]byte(stdout), &report))
	out := map[string]verdict{}
	for _, vm := range report.VMs {
		require.NotEmpty(s, vm.Causes, vm.Name)
		out[vm.Name] = verdict{vm.Level, vm.Causes[0].Code}
	}
	return out
}

// moment is what a scenario has in the cluster at one moment.
type moment struct {
	machines map[string]machine
	claims   map[string]types.UID
}

// machine is a VM at one moment. Without an instance that runs, it holds nothing.
type machine struct {
	uid, instance  types.UID
	claims, macs   []string
	root           string // the claim of the root disk, if the VM is cattle: it has no data
	asksForRestart bool
}

// moment returns what is in the cluster now.
func (s *scenario) moment() moment {
	s.Helper()
	out := moment{machines: map[string]machine{}, claims: s.names(kubevirt.Claims)}
	for _, vm := range s.list(kubevirt.VirtualMachines) {
		m := machine{uid: vm.GetUID(), asksForRestart: hasCondition(vm, "RestartRequired")}
		if vm.GetAnnotations()["vmrender.io/lifecycle"] == "cattle" {
			m.root = claimsOf(vm, "spec", "template", "spec", "volumes")["rootdisk"]
		}
		out.machines[vm.GetName()] = m
	}
	for _, vmi := range s.list(kubevirt.Instances) {
		if m, ok := out.machines[vmi.GetName()]; ok && isReady(vmi) {
			m.instance, m.claims, m.macs = vmi.GetUID(), slices.Sorted(maps.Values(claimsOf(vmi, "spec", "volumes"))), macsOf(vmi)
			out.machines[vmi.GetName()] = m
		}
	}
	return out
}

// claimsOf returns the claims of the volumes at a path of an object, by the names of the volumes.
func claimsOf(object *unstructured.Unstructured, path ...string) map[string]string {
	claims := map[string]string{}
	volumes, _, _ := unstructured.NestedSlice(object.Object, path...)
	for _, volume := range elements(volumes) {
		for _, path := range [][]string{{"dataVolume", "name"}, {"persistentVolumeClaim", "claimName"}} {
			if claim, found, _ := unstructured.NestedString(volume, path...); found {
				claims[volume["name"].(string)] = claim //nolint:forcetypeassert // as the schema says
			}
		}
	}
	return claims
}

// macsOf returns the MAC addresses of an instance, each after its network.
func macsOf(vmi *unstructured.Unstructured) (macs []string) {
	networks := map[any]string{}
	list, _, _ := unstructured.NestedSlice(vmi.Object, "spec", "networks")
	for _, n := range elements(list) {
		networks[n["name"]], _, _ = unstructured.NestedString(n, "multus", "networkName")
	}
	list, _, _ = unstructured.NestedSlice(vmi.Object, "spec", "domain", "devices", "interfaces")
	for _, nic := range elements(list) {
		if mac, _ := nic["macAddress"].(string); mac != "" {
			macs = append(macs, networks[nic["name"]]+" "+strings.ToLower(mac))
		}
	}
	return macs
}

// runs reports whether a VM runs.
func (m moment) runs(name string) bool { return m.machines[name].instance != "" }

// holders returns the VMs, sorted, that run with a claim or a MAC address.
func (m moment) holders(thing string) []string {
	var out []string
	for name, vm := range m.machines {
		if slices.Contains(vm.claims, thing) || slices.Contains(vm.macs, thing) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// happened returns the level of what happened to a VM between two moments. What two VMs hold happened to the one that did
// not hold it before.
func (m moment) happened(name string, later moment) impact.Level {
	was, existed := m.machines[name]
	now, exists := later.machines[name]
	shares := func(mine, before []string) bool {
		return slices.ContainsFunc(mine, func(t string) bool { return !slices.Contains(before, t) && len(later.holders(t)) > 1 })
	}
	isLost := func(claim string) bool { return claim != was.root && later.claims[claim] != m.claims[claim] }
	isOther := was.instance != "" && now.instance != "" && was.instance != now.instance
	for _, happens := range []struct {
		level impact.Level
		is    bool
	}{
		{impact.DataLoss, slices.ContainsFunc(was.claims, isLost) || shares(now.claims, was.claims)},
		{impact.Delete, existed && !exists},
		{impact.Recreate, existed && was.uid != now.uid || shares(now.macs, was.macs)},
		{impact.Recreate, isOther && !slices.Equal(was.claims, now.claims)},
		{impact.Power, (was.instance == "") != (now.instance == "") && existed},
		{impact.Restart, isOther || now.asksForRestart && !was.asksForRestart},
		{impact.Migrate, !slices.Equal(was.claims, now.claims) && existed},
		{impact.Create, !existed && exists},
	} {
		if happens.is {
			return happens.level
		}
	}
	return impact.None
}

// requireNotMilder requires that a plan has announced at least what happened to each VM since a moment, and returns what
// happened, without the VMs to which nothing did.
func (s *scenario) requireNotMilder(plan map[string]verdict, before moment) map[string]impact.Level {
	s.Helper()
	now, out := s.moment(), map[string]impact.Level{}
	for _, name := range append(keys(before.machines), keys(now.machines)...) {
		level := before.happened(name, now)
		require.GreaterOrEqual(s, plan[name].Level, level, "%s: the plan says %s, and %s happened", name, plan[name].Level, level)
		if level != impact.None {
			out[name] = level
		}
	}
	return out
}

// restart restarts a VM, and waits until it is ready again.
func (s *scenario) restart(name string) {
	s.Helper()
	before := s.instances()
	require.NoError(s, lab.kubevirt.Restart(s.Context(), s.name, name))
	s.eventually("another instance of "+name, func() bool { return slices.Contains(s.changed(before, true), name) })
}
