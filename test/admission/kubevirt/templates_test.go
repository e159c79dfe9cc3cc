package kubevirt_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// chosen replaces the parameters of templates as virt-template does: ${NAME} in a text, and "${{NAME}}" by a value that
// is not a text (kubevirt/virt-template v0.2.0, staging/src/kubevirt.io/virt-template-engine/template).
var chosen = strings.NewReplacer(
	"${NAME}", "web", `"${{CPU}}"`, "4", "${MEMORY}", "8Gi", "${DISK_SIZE}", "80Gi", "${SSH_KEY}", "ssh-ed25519 AAAA me",
	"${SOURCE_NAMESPACE}", "golden", "${SOURCE_NAME}", "image",
)

// KubeVirt accepts the VMs of all templates of the catalog.
func TestTemplates(t *testing.T) {
	judges := judges(t)
	for _, template := range product.Build(t).Templates(t) {
		t.Run(template.Name, func(t *testing.T) {
			var of struct {
				Spec struct {
					VirtualMachine map[string]any `json:"virtualMachine"`
				} `json:"spec"`
			}
			require.NoError(t, json.Unmarshal(template.JSON, &of))
			vm := map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}
			maps.Copy(vm, of.Spec.VirtualMachine)
			vm["metadata"].(map[string]any)["namespace"] = "lab" // in which the VM is created
			text, err := json.Marshal(vm)
			require.NoError(t, err)
			made, err := object.New([]byte(chosen.Replace(string(text))))
			require.NoError(t, err)
			require.NotContains(t, string(made.JSON), "${")
			judgeRendered(t, []object.Object{made}, judges)
		})
	}
}
