package render

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

func TestObjectsGolden(t *testing.T) {
	for name, machine := range goldenMachines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden.Equal(t, filepath.Join("testdata", name+".yaml"), yamlOf(t, render(t, machine(t))))
		})
	}
}

// Every golden file belongs to a VM, so renaming a VM leaves no file behind.
func TestGoldenFilesAreUsed(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	machines := goldenMachines()
	for _, f := range files {
		require.Contains(t, machines, strings.TrimSuffix(filepath.Base(f), ".yaml"))
	}
	require.Len(t, files, len(machines))
}

func TestObjectsAreStable(t *testing.T) {
	for name, machine := range goldenMachines() {
		m := machine(t)
		first := yamlOf(t, render(t, m))
		require.Equal(t, first, yamlOf(t, render(t, m)), name)
	}
}

// A renderer is safe for concurrent use. The race detector checks this.
func TestObjectsConcurrently(t *testing.T) {
	var r renderer
	m := acpServer2019(t)
	want := yamlOf(t, render(t, m))
	got := make(chan string)
	for range 8 {
		go func() {
			var diags source.Diagnostics
			var text []byte
			objects, _, _ := r.render(m, &diags)
			for _, o := range objects {
				json, err := manifest.Encode(nil, o)
				if err != nil {
					text = append(text, err.Error()...)
				}
				text = manifest.AppendYAML(append(text, "---\n"...), json)
			}
			got <- string(text)
		}()
	}
	for range 8 {
		require.Equal(t, want, <-got)
	}
}

// A mistake in a trait's fragment is reported at its position.
func TestObjectsReportsBadFragment(t *testing.T) {
	m := linuxMachine(t)
	m.OS = &catalog.ResolvedOS{Name: "odd", Spec: tree(t, "traits.yaml", "domain:\n  devices:\n    rngg: {}\n")}
	require.Equal(t, []string{
		`traits.yaml:3:5: catalog.os.odd.domain.devices.rngg: unknown key "rngg"; did you mean "rng"?`,
	}, problems(t, m))
}

func TestObjectsReportsMistakesInKubernetesWords(t *testing.T) {
	m := linuxMachine(t)
	m.Tolerations = []*source.Node{
		tree(t, "fleet.yaml", "- {key: vms, operator: Exists}\n"),
		tree(t, "vms.yaml", "- {key: gpu, operater: Exists}\n"),
	}
	m.ReadinessProbe = tree(t, "vms.yaml", "httpGet: {port: web}\nperiodSeconds: often\n")
	require.Equal(t, []string{
		`vms.yaml:1:14: vms.web01.tolerations[0].operater: unknown key "operater"; did you mean "operator"?`,
		`vms.yaml:2:16: vms.web01.readinessProbe.periodSeconds: wrong type: got a string, expected an integer`,
	}, problems(t, m))
}

func TestEmptyDiskWithoutSize(t *testing.T) {
	m := linuxMachine(t)
	m.Disks = append(m.Disks, machine.Disk{
		Name: "scratch", Volume: "scratch", Kind: machine.DiskEmpty, Type: "disk",
		Pos: source.Pos{File: "vms.yaml", Line: 7, Col: 5},
	})
	require.Equal(t, []string{
		`vms.yaml:7:5: vms.web01.disks.scratch.size: missing size; expected a quantity such as "10Gi"`,
	}, problems(t, m))
}

// A target that would drop the architecture of a container image gets none. Otherwise, Argo CD would find it missing in
// every sync.
func TestPlatformOfAnImage(t *testing.T) {
	const warning = "vms.yaml:7:5: warning: vms.web01.disks.root.source: before %s, a container image is imported for " +
		"the architecture of any node; expected an image that is only for arm64"
	for _, test := range []struct {
		target  values.Target
		keep    bool
		missing string
	}{
		{},
		{keep: true},
		{target: values.Target{KubeVirt: "1.6"}, missing: "kubevirt 1.7"},
		{target: values.Target{KubeVirt: "1.7"}},
		{target: values.Target{KubeVirt: "1.6"}, keep: true},
		{target: values.Target{CDI: "1.62"}, keep: true, missing: "cdi 1.63"},
		{target: values.Target{CDI: "1.63"}, keep: true},
	} {
		t.Run(fmt.Sprint(test.target.KubeVirt, test.target.CDI, test.keep), func(t *testing.T) {
			m := linuxMachine(t)
			m.Arch, m.Target = "arm64", test.target
			m.Disks[0].Source = catalog.Source{Registry: "docker://quay.io/containerdisks/fedora:42"}
			m.Disks[0].Keep, m.Disks[0].Pos = test.keep, source.Pos{File: "vms.yaml", Line: 7, Col: 5}
			var diags source.Diagnostics
			objects, _, _ := new(renderer).render(m, &diags)
			require.Equal(t, test.missing == "", strings.Contains(yamlOf(t, objects), "platform:"))
			if test.missing == "" {
				require.Empty(t, diags.Sorted())
			} else {
				require.Equal(t, fmt.Sprintf(warning, test.missing), diags.Sorted()[0].String())
			}
		})
	}
}

// render renders a VM without mistakes.
func render(t testing.TB, m *machine.Machine) []runtime.Object {
	t.Helper()
	var diags source.Diagnostics
	objects, _, _ := new(renderer).render(m, &diags)
	require.Empty(t, diags.Sorted())
	return objects
}

// problems renders a VM and returns its mistakes.
func problems(t testing.TB, m *machine.Machine) []string {
	t.Helper()
	var diags source.Diagnostics
	new(renderer).render(m, &diags)
	var out []string
	for _, d := range diags.Sorted() {
		out = append(out, d.String())
	}
	return out
}

func yamlOf(t testing.TB, objects []runtime.Object) string {
	t.Helper()
	var out []byte
	for _, o := range objects {
		json, err := manifest.Encode(nil, o)
		require.NoError(t, err)
		out = manifest.AppendYAML(append(out, "---\n"...), json)
	}
	return string(out)
}

// find returns the object of a type.
func find[T runtime.Object](t testing.TB, objects []runtime.Object) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok {
			return found
		}
	}
	require.Failf(t, "no such object", "%T", *new(T))
	panic("unreachable")
}

// tree parses YAML under the name of a file that does not exist.
func tree(t testing.TB, file, text string) *source.Node {
	t.Helper()
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: file, Data: []byte(text)}, &diags)
	require.Empty(t, diags.Sorted())
	require.Len(t, docs, 1)
	return docs[0]
}
