package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// TestKubernetesAddsNoFieldToVirtualMachines compares the types of a VM with the VM with all fields that KubeVirt keeps
// for its own tests. KubeVirt's definitions are generated with the version of k8s.io/api that KubeVirt is built with.
// An API server drops the fields that a newer version adds, so users must not be able to write them.
func TestKubernetesAddsNoFieldToVirtualMachines(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "kubevirt.io/api").Output()
	require.NoError(t, err)
	const file = "apitesting/testdata/HEAD/kubevirt.io.v1.VirtualMachine.json"
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), file))
	require.NoError(t, err)
	var full map[string]any
	require.NoError(t, json.Unmarshal(text, &full))
	template := full["spec"].(map[string]any)["template"]
	require.Empty(t, fieldsWithout(template, reflect.TypeFor[kubevirtv1.VirtualMachineInstanceTemplateSpec](), "template"))
}

// TestFieldsWithout checks that fields of structs in lists, maps and embedded structs are found.
func TestFieldsWithout(t *testing.T) {
	type inline struct {
		Old string `json:"old"`
		New string `json:"new,omitempty"`
	}
	type whole struct {
		inline `json:",inline"`
		List   []*inline         `json:"list"`
		Map    map[string]inline `json:"map"`
		Hidden string            `json:"-"`
	}
	old := map[string]any{"old": "x"}
	value := map[string]any{"old": "x", "list": []any{old}, "map": map[string]any{"key": old}}
	require.Equal(t, []string{"vm.new", "vm.list.new", "vm.map.new"}, fieldsWithout(value, reflect.TypeFor[whole](), "vm"))
}

// fieldsWithout returns the paths of the fields of a type that are missing from a value, wherever the value has the
// structs.
func fieldsWithout(value any, t reflect.Type, at string) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var missing []string
	items, _ := value.([]any)
	keys, _ := value.(map[string]any)
	switch {
	case t.Kind() == reflect.Slice && len(items) > 0:
		return fieldsWithout(items[0], t.Elem(), at)
	case t.Kind() == reflect.Map:
		for _, item := range keys {
			return fieldsWithout(item, t.Elem(), at)
		}
	case t.Kind() == reflect.Struct && keys != nil:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue // its own fields are visible as well
			}
			item, ok := keys[name]
			if !ok {
				missing = append(missing, at+"."+name)
				continue
			}
			missing = append(missing, fieldsWithout(item, f.Type, at+"."+name)...)
		}
	}
	return missing
}
