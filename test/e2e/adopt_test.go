package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// VMs that people and tools have created are imported. The first sync of their Application changes none of their
// specs, instances or disks, and neither does the second. A released VM stays when its entry is removed.
func TestAdopt(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "adopted")
	names := s.handmade()
	s.create("tracked.yaml")
	before := s.machinesAsTheyAre(names)
	said := s.imports(names)
	require.Contains(t, said, `adopted/tracked: refused: the Argo CD Application "old-shop" manages it`)
	require.NotContains(t, said, "abcd-1234-wxyz", "a password")
	s.requireAdopted(names)

	revision := s.pushForPeople("Import VMs as they are")
	s.wait(waiting(revision))
	require.Equal(t, before, s.machinesAsTheyAre(names), "nothing is synced by itself")
	s.requireAdopted(names)
	for n := 1; n <= 2; n++ {
		require.NoError(t, s.app.Sync(t.Context()))
		s.wait(syncedTimes(revision, n))
		require.Equal(t, before, s.machinesAsTheyAre(names), "sync %d", n)
		s.stands(nil)
		require.Equal(t, "nothing changes for 5 VMs", s.headline(), "sync %d", n)
	}
	_, stderr, err := s.run("import", s.export())
	require.Error(t, err, "nothing was taken over")
	for _, name := range names {
		require.Contains(t, stderr, name+": refused: vmrender renders it already, and its entry is in the files of the Application \"adopted\"")
	}

	s.deploy(".") // from now on it syncs automatically and prunes
	marks := s.release("console")
	s.edit(func(vms map[string]any) { delete(vms, "console") })
	revision = s.push("Without the console's VM")
	s.wait(leftOver(revision, "console"))
	s.kubectl(marks)
	require.NoError(t, s.app.Refresh(t.Context(), false))
	s.wait(argo.Synced(revision))
	require.Equal(t, before, s.machinesAsTheyAre(names), "released")
	require.Empty(t, s.field(kubevirt.VirtualMachines, "console", "metadata", "annotations", "argocd.argoproj.io/tracking-id"))
	s.stands(nil)
}

// The steps that import prints keep a disk that belongs to its adopted VM. The entry names it as a claim, and the
// remaining templates and its owner reference are removed. The disk then outlives the VM.
func TestAdoptedDisk(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "adopted-disk")
	names := s.handmade()
	said := s.imports(names)
	require.Contains(t, said, "the disk console belongs to the VM")
	s.wait(argo.Synced(s.push("Import VMs as they are")))
	before, disk := s.machinesAsTheyAre(names)["console"], s.disks()["console"]

	s.edit(func(vms map[string]any) {
		console := vms["console"].(map[string]any) //nolint:forcetypeassert // as the format says
		console["disks"] = map[string]any{"root": map[string]any{"source": map[string]any{"claim": "console"}}}
		console["lifecycle"] = map[string]any{"protect": false} // it is deleted below, which the cluster may refuse
	})
	revision := s.push("The disk as a claim")
	require.Equal(t, map[string]string{"console": "restart"}, s.plan("HEAD~"))
	s.wait(argo.Synced(revision))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("console") })
	require.Equal(t, before.Instance, s.instances()["console"])
	s.stands(map[string]string{"console": "restart"})

	machines := lab.cluster.Resource(kubevirt.VirtualMachines).Namespace(s.name)
	templates := []byte(`{"spec":{"dataVolumeTemplates":null}}`)
	_, err := machines.Patch(t.Context(), "console", types.MergePatchType, templates, metav1.PatchOptions{})
	require.NoError(t, err)
	s.eventually("KubeVirt knows of no templates", func() bool {
		vm := s.object(kubevirt.VirtualMachines, "console")
		seen, _, _ := unstructured.NestedInt64(vm.Object, "status", "desiredGeneration")
		return seen == vm.GetGeneration()
	})
	disks := lab.cluster.Resource(kubevirt.DataVolumes).Namespace(s.name)
	patch := []byte(`{"metadata":{"ownerReferences":null}}`)
	_, err = disks.Patch(t.Context(), "console", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, machines.Delete(t.Context(), "console", metav1.DeleteOptions{}))
	s.eventually("another VM on the disk", func() bool {
		uid := s.machines()["console"]
		return uid != "" && uid != before.UID
	})
	require.Equal(t, disk, s.disks()["console"])
}

// handmade creates the VMs of testdata/adopt/machines.yaml, and waits until they run. It returns their names.
func (s *scenario) handmade() []string {
	s.Helper()
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	namespace.SetName(s.name)
	require.NoError(s, lab.cluster.Apply(s.Context(), namespace))
	for _, claim := range []string{"hand-system", "shared-files", "off-root", "old-disk0", "crm-app-vm-40213-x7k2p", "crm-app-vm-40213-q9d4s"} {
		require.NoError(s, lab.cluster.Apply(s.Context(), newClaim(s.name, claim)))
	}
	names := s.create("machines.yaml")
	s.atRest(names)
	return names
}

// atRest waits until each VM is stopped, or runs and is ready.
func (s *scenario) atRest(names []string) {
	s.Helper()
	for _, name := range names {
		s.eventually(name+" at rest", func() bool {
			status, _, _ := unstructured.NestedString(s.object(kubevirt.VirtualMachines, name).Object, "status", "printableStatus")
			return status == "Stopped" || status == "Running" && s.ready(name)
		})
	}
}

// create creates the VMs in a file of testdata/adopt, as `kubectl create` does, and returns their names.
func (s *scenario) create(file string) []string {
	s.Helper()
	objects, err := cluster.ReadObjects(filepath.Join("testdata", "adopt", file))
	require.NoError(s, err)
	names := make([]string, len(objects))
	for i, o := range objects {
		_, err := lab.cluster.Resource(kubevirt.VirtualMachines).Namespace(s.name).Create(
			s.Context(), o, metav1.CreateOptions{FieldManager: "kubectl-create"})
		require.NoError(s, err, o.GetName())
		names[i] = o.GetName()
	}
	return names
}

// asItIs is the state of a VM that must not change.
type asItIs struct {
	UID, Instance  types.UID
	Generation     int64
	Spec           any
	Revision       any // of the spec that the instance was started with
	AsksForRestart bool
	Disks          map[string]any // the specs of its DataVolumes, by their UIDs and owners
}

func (s *scenario) machinesAsTheyAre(names []string) map[string]asItIs {
	s.Helper()
	instances, disks, out := s.instances(), map[string]any{}, map[string]asItIs{}
	for _, d := range s.list(kubevirt.DataVolumes) {
		owners, _, err := unstructured.NestedSlice(d.Object, "metadata", "ownerReferences")
		require.NoError(s, err)
		disks[fmt.Sprint(d.GetUID(), owners)] = d.Object["spec"]
	}
	for _, name := range names {
		vm := s.object(kubevirt.VirtualMachines, name)
		now := asItIs{
			UID: vm.GetUID(), Instance: instances[name], Generation: vm.GetGeneration(), Spec: vm.Object["spec"],
			AsksForRestart: hasCondition(vm, "RestartRequired"), Disks: disks,
		}
		if now.Instance != "" {
			now.Revision = s.field(kubevirt.Instances, name, "status", "virtualMachineRevisionName")
		}
		out[name] = now
	}
	return out
}

// imports imports the contents of the scenario's namespace into the repository, the VMs with these names exactly.
// It returns the messages of the command.
func (s *scenario) imports(names []string) string {
	s.Helper()
	stdout, stderr, err := s.run("import", s.export(), "--output-dir", s.repository.Dir)
	require.Equal(s, strings.Contains(stderr, ": refused: "), err != nil, "the status is that of what was not taken over")
	require.Empty(s, stdout)
	for _, name := range names {
		require.Contains(s, stderr, s.name+"/"+name+": exact\n")
	}
	return stderr
}

// export writes the objects of the scenario's namespace to a file, as `kubectl get -o json` does, and returns its
// path.
func (s *scenario) export() string {
	s.Helper()
	var items []any
	for _, r := range []schema.GroupVersionResource{kubevirt.VirtualMachines, kubevirt.Instances, kubevirt.DataVolumes, kubevirt.Claims} {
		for _, o := range s.list(r) {
			items = append(items, o.Object)
		}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	require.NoError(s, err)
	path := filepath.Join(s.TempDir(), "export.json")
	require.NoError(s, os.WriteFile(path, text, 0o600))
	return path
}

// command runs a command of the program, which must succeed, and returns its output.
func (s *scenario) command(args ...string) (stdout, stderr string) {
	s.Helper()
	stdout, stderr, err := s.run(args...)
	require.NoError(s, err, stderr)
	return stdout, stderr
}

// run runs a command of the program, and returns its output.
func (s *scenario) run(args ...string) (stdout, stderr string, err error) {
	var out, problems bytes.Buffer
	command := exec.CommandContext(s.Context(), lab.Programs["vmrender"], args...)
	command.Stdout, command.Stderr = &out, &problems
	err = command.Run()
	return out.String(), problems.String(), err
}

// headline returns the headline of the plan of the files against the cluster.
func (s *scenario) headline() string {
	s.Helper()
	stdout, _ := s.command("plan", s.repository.Path(s.root), "--namespace", s.name,
		"--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig, "-o", "json")
	var report struct{ Summary struct{ Headline string } }
	require.NoError(s, json.Unmarshal([]byte(stdout), &report))
	return report.Summary.Headline
}

// requireAdopted requires that the plan of the first sync changes no VM.
func (s *scenario) requireAdopted(names []string) {
	s.Helper()
	require.Equal(s, fmt.Sprintf("%[1]d of %[1]d VMs: %[1]d adopted", len(names)), s.headline())
}

// pushForPeople commits the files, and creates an Application that is synced manually.
func (s *scenario) pushForPeople(message string) string {
	s.Helper()
	revision, err := s.repository.Commit(s.Context(), message)
	require.NoError(s, err)
	application := s.application(".")
	unstructured.RemoveNestedField(application.Object, "spec", "syncPolicy", "automated")
	s.apply(application)
	return revision
}

// waiting is done when a revision has been compared but not synced.
func waiting(revision string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		switch {
		case s.Sync.Revision != revision || s.Sync.Status != "OutOfSync":
			return errors.New("the revision is not compared")
		case len(s.History) > 0:
			return errors.New("somebody has synced it")
		}
		return nil
	}
}

// syncedTimes is done when the Application matches the revision and n syncs have succeeded.
func syncedTimes(revision string, n int) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if len(s.History) != n || s.Operation.Phase != "Succeeded" {
			return fmt.Errorf("%d syncs, want %d", len(s.History), n)
		}
		return argo.Synced(revision)(s)
	}
}

// release runs the printed steps to release a VM that come before the commit, and returns the commands that come
// after it.
func (s *scenario) release(machine string) []string {
	s.Helper()
	stdout, _ := s.command("release", s.name+"/"+machine, "--path", s.repository.Dir, "--namespace", s.name)
	before, after, found := strings.Cut(stdout, "Remove these entries from the files.")
	require.True(s, found, stdout)
	s.kubectl(commands(before))
	require.NotEmpty(s, commands(after), stdout)
	return commands(after)
}

// commands returns the lines of text that are kubectl commands.
func commands(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "kubectl ") })
}

// kubectl does the same as kubectl commands that print sync options, or set and remove labels and annotations.
func (s *scenario) kubectl(commands []string) {
	s.Helper()
	for _, line := range commands {
		words := strings.Fields(line)
		require.Equal(s, []string{"kubectl", words[1], "--namespace", s.name}, words[:4], line)
		marks := map[string]any{}
		for _, w := range words[4:] {
			if key, isRemoved := strings.CutSuffix(w, "-"); isRemoved {
				marks[key] = nil
			} else if key, value, isSet := strings.Cut(w, "="); isSet {
				marks[key] = value
			}
		}
		for _, w := range words[4:] {
			if kind, name, ok := strings.Cut(w, "/"); ok && resources[kind].Resource != "" {
				s.mark(words[1], resources[kind], name, marks)
			}
		}
	}
}

// resources are the resources that a VM can consist of, by their names in kubectl.
var resources = map[string]schema.GroupVersionResource{
	"virtualmachine": kubevirt.VirtualMachines, "datavolume": kubevirt.DataVolumes,
}

// mark does to one object what a kubectl command does.
func (s *scenario) mark(verb string, resource schema.GroupVersionResource, name string, marks map[string]any) {
	s.Helper()
	if verb == "get" {
		require.Contains(s, s.field(resource, name, "metadata", "annotations", "argocd.argoproj.io/sync-options"), "Prune=false")
		return
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{verbs[verb]: marks}})
	require.NoError(s, err)
	_, err = lab.cluster.Resource(resource).Namespace(s.name).Patch(s.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(s, err)
}

var verbs = map[string]string{"annotate": "annotations", "label": "labels"}

// edit changes the entries of the imported VMs.
func (s *scenario) edit(change func(vms map[string]any)) {
	s.Helper()
	file := s.name + ".yaml"
	text, err := os.ReadFile(s.repository.Path(file))
	require.NoError(s, err)
	var content map[string]any
	require.NoError(s, yaml.Unmarshal(text, &content))
	change(content["vms"].(map[string]any)) //nolint:forcetypeassert // as the format says
	text, err = yaml.Marshal(content)
	require.NoError(s, err)
	s.write(file, string(text))
}
