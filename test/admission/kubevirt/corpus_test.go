package kubevirt_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// adopted is the directory of the VMs that clusters have before vmrender is used.
const adopted = "../../../pkg/adopt/testdata/"

// KubeVirt accepts every VM of the corpus, since only VMs that a cluster has can be adopted.
func TestCorpus(t *testing.T) {
	files := read(t, adopted+"corpus")
	judges := corpusJudges(t, files)
	for name, objects := range files {
		t.Run(name, func(t *testing.T) {
			product.Judge(t, object.OfKind(objects, "VirtualMachine"), judges...)
			require.Empty(t, object.JudgeAll(object.OfKind(objects, "VirtualMachineInstance"), judges[0]))
		})
	}
}

// refused has KubeVirt's messages about the VMs that vmrender refuses. KubeVirt does not
// complain about the kind of a disk's template, which it never reads.
var refused = map[string]string{
	"kind-in-template.yaml":         "",
	"running-and-run-strategy.yaml": "Running and RunStrategy are mutually exclusive",
	"running-stop.yaml":             "must be of type boolean",
}

func TestCorpusRefused(t *testing.T) {
	files := read(t, adopted+"refused")
	require.ElementsMatch(t, slices.Collect(maps.Keys(refused)), slices.Collect(maps.Keys(files)))
	judges := corpusJudges(t, files)
	for name, objects := range files {
		problems := object.JudgeAll(object.OfKind(objects, "VirtualMachine"), judges...)
		require.Equal(t, refused[name] == "", len(problems) == 0, name)
		require.Contains(t, strings.Join(problems, "\n"), refused[name], name)
	}
}

// The fields that an import leaves out are those that KubeVirt does not know.
func TestCorpusUnknown(t *testing.T) {
	files := read(t, adopted+"unknown")
	require.NotEmpty(t, files)
	judges := corpusJudges(t, files)
	for name, objects := range files {
		problems := object.JudgeAll(object.OfKind(objects, "VirtualMachine"), judges...)
		require.Contains(t, strings.Join(problems, "\n"), "unknown field", name)
	}
}

// corpusJudges returns the judges on a cluster that has the objects of all files. They ignore
// deprecated fields, which VMs have had for years, and missing namespaces, which kubectl
// fills in.
func corpusJudges(t *testing.T, files map[string][]object.Object) []object.Judge {
	t.Helper()
	schema, err := kubevirt.NewSchema()
	require.NoError(t, err)
	webhooks, err := kubevirt.NewWebhooksOn(kubevirt.Varied(slices.Concat(slices.Collect(maps.Values(files))...)))
	require.NoError(t, err)
	boot, err := kubevirt.NewBoot(t.TempDir())
	require.NoError(t, err)
	return []object.Judge{
		object.Judge(schema.Problems).Except("metadata.namespace: Required value"), kubevirt.Decode,
		object.Judge(webhooks.Problems).Except("spec.running is deprecated"), boot,
	}
}

func read(t *testing.T, dir string) map[string][]object.Object {
	t.Helper()
	files, err := object.ReadDir(dir)
	require.NoError(t, err)
	return files
}
