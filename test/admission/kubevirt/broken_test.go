package kubevirt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/broken"
	"github.com/vmrender/vmrender/test/admission/kubevirt"
	"github.com/vmrender/vmrender/test/admission/object"
)

// judges returns the judges of a VirtualMachine, by the names that the variants use.
func judges(t *testing.T) map[string]object.Judge {
	t.Helper()
	schema, err := kubevirt.NewSchema()
	require.NoError(t, err)
	webhooks, err := kubevirt.NewWebhooks()
	require.NoError(t, err)
	boot, err := kubevirt.NewBoot(t.TempDir())
	require.NoError(t, err)
	return map[string]object.Judge{
		"schema":   schema.Problems,
		"decode":   kubevirt.Decode,
		"webhooks": webhooks.Problems,
		"boot":     boot,
	}
}

func TestRefused(t *testing.T) {
	variants := append(broken.ReadVariants(t, "testdata/refused.yaml"), longUserData())
	broken.Run(t, broken.ReadManifest(t, "testdata/machine.yaml"), judges(t), variants)
}

// longUserData returns a variant with more user data than KubeVirt accepts inside a manifest.
func longUserData() broken.Variant {
	return broken.Variant{
		Name: "user data over 2,048 bytes",
		Patch: []map[string]any{{
			"op": "replace", "path": "/spec/template/spec/volumes/3/cloudInitNoCloud/userData",
			"value": "#cloud-config\n" + strings.Repeat("#", 2048),
		}},
		Judge:   "webhooks",
		Message: "userdata exceeds 2048 byte limit",
	}
}

func TestInstancetypeRefused(t *testing.T) {
	variants := broken.ReadVariants(t, "testdata/refused-instancetype.yaml")
	broken.Run(t, broken.ReadManifest(t, "testdata/instancetype.yaml"), judges(t), variants)
}

// KubeVirt accepts these manifests although they make no sense. A cluster would
// not complain, so vmrender itself refuses the values that would render them.
// The test fails if a KubeVirt release begins to refuse one.
func TestAcceptedAlthoughWrong(t *testing.T) {
	variants := broken.ReadVariants(t, "testdata/accepted.yaml")
	broken.Run(t, broken.ReadManifest(t, "testdata/machine.yaml"), judges(t), variants)
}
