package plugin

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clonev1 "kubevirt.io/api/clone/v1beta1"
	kubevirt "kubevirt.io/api/core/v1"
	exportv1 "kubevirt.io/api/export/v1beta1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"
	cdi "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/yaml"
)

// Argo CD's own engine runs the scripts in test/argocd/lua. These tests check what does
// not need Argo CD: that the files are complete.

type kind struct {
	Group, Kind, Source, Health, Actions string
	Ignore, Optional                     []field
}

type field struct{ Field, Why, When string }

// sample is an object of a states.yaml or an actions.yaml.
type sample struct {
	State  string
	Health string
	Why    string
	Object map[string]any
}

var tree = os.DirFS("customizations")

func readKinds(t *testing.T) []kind {
	t.Helper()
	var table struct{ Kinds []kind }
	require.NoError(t, yaml.UnmarshalStrict(Customizations, &table))
	require.NotEmpty(t, table.Kinds)
	return table.Kinds
}

func readSamples(t *testing.T, name string) []sample {
	t.Helper()
	text, err := fs.ReadFile(tree, name)
	require.NoError(t, err)
	var samples []sample
	require.NoError(t, yaml.Unmarshal(text, &samples), name)
	require.NotEmpty(t, samples, name)
	return samples
}

func TestEveryFileIsUsed(t *testing.T) {
	used := []string{"customizations.yaml"}
	for _, k := range readKinds(t) {
		used = append(used, k.Health+"/health.lua", k.Health+"/states.yaml")
		if k.Actions == "" {
			continue
		}
		scripts, err := fs.Glob(tree, k.Actions+"/actions/*.lua")
		require.NoError(t, err)
		require.Contains(t, scripts, k.Actions+"/actions/discovery.lua")
		used = append(append(used, scripts...), k.Actions+"/actions.yaml")
	}
	var found []string
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, name)
		}
		return err
	}))
	slices.Sort(used)
	require.ElementsMatch(t, found, slices.Compact(used))
}

// The object of every state has a kind that uses the check. States are unique within a
// check, because docs/reference/health.md lists them.
func TestStatesBelongToTheirCheck(t *testing.T) {
	serves := map[string][]string{}
	for _, k := range readKinds(t) {
		serves[k.Health] = append(serves[k.Health], k.Group+"/"+k.Kind)
	}
	for check, kinds := range serves {
		var seen []string
		for _, s := range readSamples(t, check+"/states.yaml") {
			require.NotContains(t, seen, s.State, check)
			seen = append(seen, s.State)
			gvk := (&unstructured.Unstructured{Object: s.Object}).GroupVersionKind()
			require.Contains(t, kinds, gvk.Group+"/"+gvk.Kind, "%s: %s", check, s.State)
		}
	}
}

// With RespectIgnoreDifferences=true, ignored differences become a merge patch, which
// replaces whole lists: an edit of another element in Git would be lost.
func TestIgnoredFieldsAreInNoList(t *testing.T) {
	pointer := regexp.MustCompile(`^(/([^/~]|~[01])+)+$`)
	index := regexp.MustCompile(`/([0-9]+|-|\*)(/|$)`)
	for _, k := range readKinds(t) {
		for _, f := range slices.Concat(k.Ignore, k.Optional) {
			require.Regexp(t, pointer, f.Field, k.Kind)
			require.NotRegexp(t, index, f.Field, k.Kind)
			require.NotEmpty(t, f.Why+f.When, "%s %s has no reason", k.Kind, f.Field)
		}
	}
}

// A field that vmrender renders must not be ignored, because edits of it would be lost.
func TestIgnoredFieldsAreNotRendered(t *testing.T) {
	goldens, err := filepath.Glob("../pkg/render/testdata/*.yaml")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		require.NoError(t, err)
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(document), &object), golden)
			for _, k := range readKinds(t) {
				if k.Kind != object["kind"] {
					continue
				}
				seen[k.Kind] = true
				for _, f := range k.Ignore {
					require.False(t, has(object, f.Field), "%s renders %s", golden, f.Field)
				}
			}
		}
	}
	require.True(t, seen["VirtualMachine"] && seen["DataVolume"], "no golden files were read")
}

// has reports whether an object has the field that a JSON pointer names.
func has(object map[string]any, pointer string) bool {
	var path []string
	for name := range strings.SplitSeq(pointer[1:], "/") {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	_, found, err := unstructured.NestedFieldNoCopy(object, path...)
	return found && err == nil
}

// types maps kinds to their Go types, as far as this module has them.
func types() map[string]func() any {
	return map[string]func() any{
		"VirtualMachine":                  func() any { return &kubevirt.VirtualMachine{} },
		"VirtualMachineInstanceMigration": func() any { return &kubevirt.VirtualMachineInstanceMigration{} },
		"KubeVirt":                        func() any { return &kubevirt.KubeVirt{} },
		"VirtualMachinePool":              func() any { return &poolv1.VirtualMachinePool{} },
		"VirtualMachineSnapshot":          func() any { return &snapshotv1.VirtualMachineSnapshot{} },
		"VirtualMachineRestore":           func() any { return &snapshotv1.VirtualMachineRestore{} },
		"VirtualMachineClone":             func() any { return &clonev1.VirtualMachineClone{} },
		"VirtualMachineExport":            func() any { return &exportv1.VirtualMachineExport{} },
		"DataVolume":                      func() any { return &cdi.DataVolume{} },
		"DataImportCron":                  func() any { return &cdi.DataImportCron{} },
		"DataSource":                      func() any { return &cdi.DataSource{} },
		"CDI":                             func() any { return &cdi.CDI{} },
		"PersistentVolumeClaim":           func() any { return &corev1.PersistentVolumeClaim{} },
	}
}

// Without strict decoding, a check that reads a nonexistent field would pass with a
// sample that no controller writes.
func TestSamplesDecodeStrictly(t *testing.T) {
	files, err := fs.Glob(tree, "*/*.yaml")
	require.NoError(t, err)
	known := types()
	for _, name := range files {
		for _, s := range readSamples(t, name) {
			object, ok := known[s.Object["kind"].(string)]
			if !ok {
				continue
			}
			text, err := yaml.Marshal(s.Object)
			require.NoError(t, err)
			require.NoError(t, yaml.UnmarshalStrict(text, object()), "%s: %s", name, s.State)
		}
	}
}

// Each printable status of KubeVirt's API has a state with its name. A new status needs a
// decision.
func TestEveryPrintableStatusHasAState(t *testing.T) {
	var states strings.Builder
	for _, s := range readSamples(t, "virtualmachine/states.yaml") {
		status, _, err := unstructured.NestedString(s.Object, "status", "printableStatus")
		require.NoError(t, err)
		states.WriteString(s.State + " " + status + "\n")
	}
	for _, status := range []kubevirt.VirtualMachinePrintableStatus{
		kubevirt.VirtualMachineStatusStopped,
		kubevirt.VirtualMachineStatusProvisioning,
		kubevirt.VirtualMachineStatusStarting,
		kubevirt.VirtualMachineStatusRunning,
		kubevirt.VirtualMachineStatusPaused,
		kubevirt.VirtualMachineStatusStopping,
		kubevirt.VirtualMachineStatusTerminating,
		kubevirt.VirtualMachineStatusCrashLoopBackOff,
		kubevirt.VirtualMachineStatusMigrating,
		kubevirt.VirtualMachineStatusUnknown,
		kubevirt.VirtualMachineStatusUnschedulable,
		kubevirt.VirtualMachineStatusErrImagePull,
		kubevirt.VirtualMachineStatusImagePullBackOff,
		kubevirt.VirtualMachineStatusPvcNotFound,
		kubevirt.VirtualMachineStatusDataVolumeError,
		kubevirt.VirtualMachineStatusWaitingForVolumeBinding,
		kubevirt.VirtualMachineStatusWaitingForReceiver,
	} {
		require.Contains(t, states.String(), string(status))
	}
}
