package kubevirt_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// adopted is where the machines stand that clusters have before vmrender comes.
const adopted = "../../../pkg/adopt/testdata/"

// KubeVirt accepts every machine of the corpus: what is adopted is what a cluster has.
func TestCorpus(t *testing.T) {
	files := manifests(t, adopted+"corpus")
	judges := corpusJudges(t, files)
	for name, objects := range files {
		t.Run(name, func(t *testing.T) {
			product.Judge(t, object.OfKind(objects, "VirtualMachine"), judges...)
			require.Empty(t, object.JudgeAll(object.OfKind(objects, "VirtualMachineInstance"), judges[0]))
		})
	}
}

// refused is what KubeVirt says of the machines that vmrender refuses; of the kind of a
// template of a disk it says nothing, since it never reads it.
var refused = map[string]string{
	"cpu-under-devices.yaml":        `unknown field "spec.template.spec.domain.devices.cpu"`,
	"kind-in-template.yaml":         "",
	"running-and-run-strategy.yaml": "Running and RunStrategy are mutually exclusive",
	"running-stop.yaml":             "must be of type boolean",
}

func TestCorpusRefused(t *testing.T) {
	files := manifests(t, adopted+"refused")
	require.ElementsMatch(t, slices.Collect(maps.Keys(refused)), slices.Collect(maps.Keys(files)))
	judges := corpusJudges(t, files)
	for name, objects := range files {
		problems := object.JudgeAll(object.OfKind(objects, "VirtualMachine"), judges...)
		require.Equal(t, refused[name] == "", len(problems) == 0, name)
		require.Contains(t, strings.Join(problems, "\n"), refused[name], name)
	}
}

// corpusJudges are the judges on a cluster that has the objects of all files. A field that is
// deprecated is no problem: machines have it for years.
func corpusJudges(t *testing.T, files map[string][]object.Object) []object.Judge {
	t.Helper()
	schema, err := kubevirt.NewSchema()
	require.NoError(t, err)
	webhooks, err := kubevirt.NewWebhooksOn(kubevirt.Varied(slices.Concat(slices.Collect(maps.Values(files))...)))
	require.NoError(t, err)
	boot, err := kubevirt.NewBoot(t.TempDir())
	require.NoError(t, err)
	return []object.Judge{
		schema.Problems, kubevirt.Decode, object.Judge(webhooks.Problems).Except("spec.running is deprecated"), boot,
	}
}

// manifests returns the objects of every file of a directory, of Lists and Templates those
// that are in them.
func manifests(t *testing.T, dir string) map[string][]object.Object {
	t.Helper()
	files, err := filepath.Glob(dir + "/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]object.Object{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		objects, err := object.Read(text)
		require.NoError(t, err, file)
		for _, o := range objects {
			all[filepath.Base(file)] = append(all[filepath.Base(file)], unpacked(t, o)...)
		}
	}
	return all
}

// packed is a List, or a Template of OpenShift.
type packed struct {
	Items      []json.RawMessage `json:"items"`
	Objects    []json.RawMessage `json:"objects"`
	Parameters []struct {
		Name     string `json:"name"`
		Value    string `json:"value"`
		Generate string `json:"generate"`
	} `json:"parameters"`
}

// unpacked returns the objects of a List or Template, or the object itself.
func unpacked(t *testing.T, o object.Object) []object.Object {
	t.Helper()
	if o.Kind != "List" && o.Kind != "Template" {
		return []object.Object{o}
	}
	var p packed
	require.NoError(t, json.Unmarshal(o.JSON, &p))
	var objects []object.Object
	for _, raw := range append(p.Items, p.Objects...) {
		inner, err := object.New([]byte(p.replacer().Replace(string(raw))))
		require.NoError(t, err)
		objects = append(objects, inner)
	}
	return objects
}

// replacer puts values in the place of parameters, as `oc process` does: those that are
// generated become "generated", and `${{NAME}}` stands for more than text.
func (p packed) replacer() *strings.Replacer {
	var pairs []string
	for _, parameter := range p.Parameters {
		value := parameter.Value
		if parameter.Generate != "" {
			value = "generated"
		}
		pairs = append(pairs, `"${{`+parameter.Name+`}}"`, value, "${"+parameter.Name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}
