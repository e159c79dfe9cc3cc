package cdi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
)

// CDI accepts every data volume in the corpus of VMs to adopt, and every one that
// KubeVirt creates from a template in it.
func TestCorpus(t *testing.T) {
	files, err := object.ReadDir("../../../pkg/adopt/testdata/corpus")
	require.NoError(t, err)
	judges := judges(t)
	volumes := 0
	for name, objects := range files {
		for _, o := range object.OfKind(objects, "VirtualMachine") {
			if hasTemplates(t, o) {
				t.Run(name, func(t *testing.T) { volumes += len(judgeRendered(t, objects, judges)) })
				break
			}
		}
	}
	require.Greater(t, volumes, 30)
}

func hasTemplates(t *testing.T, vm object.Object) bool {
	t.Helper()
	content, err := vm.Content()
	require.NoError(t, err)
	spec, _ := content["spec"].(map[string]any)
	return spec["dataVolumeTemplates"] != nil
}
