package rollout

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// These tests run the Jobs of a rendered fleet on its rendered VirtualMachines. They do
// not name the labels and annotations that connect the two, so they fail if only one side
// changes a name.

const renderedFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1, applyOutOfSyncOnly: true}
defaults: {namespace: prod, os: linux, cpu: 1, memory: 1Gi,
  disks: {root: {size: 1Gi, source: {http: https://example.com/VERSION}}}}
vms:
  web: {replicas: 3, lifecycle: {type: cattle, maxUnavailable: 2, keepOld: 1}}
  lone: {lifecycle: {type: cattle, strategy: replace}}
  db: {lifecycle: {snapshotBefore: true}}
`

// release is the output of one version of the fleet.
type release struct {
	machines map[string]*kubevirtv1.VirtualMachine
	args     map[string][]string // of the Jobs, by command
	account  string              // of the rollout
}

func rendered(t *testing.T, version string) release {
	t.Helper()
	header, vms, _ := strings.Cut(strings.ReplaceAll(renderedFleet, "VERSION", version), "vms:")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte("vms:"+vms), 0o600))
	f, diags := inventory.Load(dir, fleet.Options{})
	require.Empty(t, diags.Sorted())
	c := render.NewCollector()
	for _, m := range f.Machines {
		c.Visit(m, diags)
	}
	all := c.Rendered(diags)
	require.Empty(t, diags.Sorted())
	return decode(t, all)
}

func decode(t *testing.T, all []render.Rendered) release {
	t.Helper()
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.JSON)
	require.NoError(t, render.Write(w, all...))
	require.NoError(t, w.Close())
	var list struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal(out.Bytes(), &list))
	r := release{machines: map[string]*kubevirtv1.VirtualMachine{}, args: map[string][]string{}}
	for _, item := range list.Items {
		var kind metav1.TypeMeta
		require.NoError(t, json.Unmarshal(item, &kind))
		switch kind.Kind {
		case "VirtualMachine":
			vm := new(kubevirtv1.VirtualMachine)
			require.NoError(t, json.Unmarshal(item, vm))
			r.machines[vm.Name] = vm
		case "Job":
			var job batchv1.Job
			require.NoError(t, json.Unmarshal(item, &job))
			args := job.Spec.Template.Spec.Containers[0].Args
			r.args[args[0]] = args[1:]
			if args[0] == "rollout" {
				r.account = job.Spec.Template.Spec.ServiceAccountName
			}
		}
	}
	return r
}

// after returns the value after a flag, or "" if there is none.
func after(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 {
		return args[i+1]
	}
	return ""
}

// target returns the Target of a Job with the arguments.
func target(t *testing.T, args []string) Target {
	t.Helper()
	machines, err := ParseMachines(slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return !strings.Contains(arg, "=")
	}))
	require.NoError(t, err)
	require.NotEmpty(t, machines)
	return Target{ID: after(args, "--id"), Machines: machines, Holder: "test"}
}

// applied returns the VMs of the last release, running the one before it, in a cluster
// that has had all the releases.
func applied(releases ...release) []*machine {
	var all []*machine
	last := releases[len(releases)-1]
	for name, vm := range last.machines {
		m := running(name)
		m.Labels, m.Annotations, m.Spec = vm.Labels, vm.Annotations, vm.Spec
		m.disks = map[string]*cdiv1.DataVolume{}
		for i, r := range releases {
			for _, disk := range r.machines[name].Spec.DataVolumeTemplates {
				m.disks[disk.Name] = created(m, &disk, i)
			}
		}
		m.instance.Spec.Volumes = releases[len(releases)-2].machines[name].Spec.Template.Spec.Volumes
		all = append(all, m)
	}
	return all
}

// created returns the DataVolume that KubeVirt creates from a VM's template.
func created(m *machine, template *kubevirtv1.DataVolumeTemplateSpec, minute int) *cdiv1.DataVolume {
	disk := filled(m.Name, template.Name, cdiv1.Succeeded)
	disk.Labels, disk.Annotations = template.Labels, template.Annotations
	disk.CreationTimestamp = metav1.NewTime(time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC))
	return disk
}

// The rollout's Job finds its VMs, respects their maximum, and removes the disks older
// than those to keep.
func TestRolloutOfWhatIsRendered(t *testing.T) {
	v1, v2, v3 := rendered(t, "v1"), rendered(t, "v2"), rendered(t, "v3")
	var web []*machine
	for _, m := range applied(v1, v2, v3) {
		if strings.HasPrefix(m.Name, "web-") {
			require.Len(t, m.disks, 3)
			web = append(web, m)
		}
	}
	restart, err := plan(observe(web, new(record)))
	require.NoError(t, err)
	require.Equal(t, "web-0 web-1", names(restart))

	p := play(t, applied(v1, v2, v3)...)
	require.NoError(t, p.Rollout(t.Context(), target(t, v3.args["rollout"]), options(new(bytes.Buffer))))
	require.ElementsMatch(t, []string{"web-0", "web-1", "web-2"}, strings.Fields(p.asked()))
	for _, m := range web {
		for i, r := range []release{v1, v2, v3} {
			disk := r.machines[m.Name].Spec.DataVolumeTemplates[0].Name
			require.Equal(t, i > 0, slices.Contains(strings.Fields(p.names(dataVolumes)), disk), "%s of v%d", disk, i+1)
		}
	}
}

// The Lease has the name that the Role allows, which is the ServiceAccount's.
func TestLeaseIsThatOfTheRole(t *testing.T) {
	v1 := rendered(t, "v1")
	args := v1.args["rollout"]
	require.Equal(t, v1.account, new(target(t, args)).lease())
	require.Regexp(t, `^[^:]+-[0-9a-f]{8}-rollout$`, v1.account, "the governance chart knows it by this pattern")
}

// The snapshots' Job takes a snapshot of the pet that changes, and none of the one that
// does not.
func TestSnapshotOfWhatIsRendered(t *testing.T) {
	v1, v2 := rendered(t, "v1"), rendered(t, "v2")
	next := func(r release) step {
		args := r.args["snapshot"]
		s, err := parseSnapshot(args[len(args)-1])
		require.NoError(t, err)
		vm := v1.machines[s.Machine]
		require.NotNil(t, vm)
		step, _ := s.next(vm, nil, time.Now(), nil)
		return step
	}
	require.Equal(t, nothing, next(v1))
	require.Equal(t, take, next(v2))
}
