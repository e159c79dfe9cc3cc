package manifest_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func TestNew(t *testing.T) {
	tests := []struct {
		name string
		v    any
		want manifest.ID
	}{
		{"typed", secret("s", 1), manifest.ID{APIVersion: "v1", Kind: "Secret", Name: "s"}},
		{
			"generated name",
			batchv1.Job{
				TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
				ObjectMeta: metav1.ObjectMeta{GenerateName: "restart-", Namespace: "n"},
			},
			manifest.ID{APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "restart-"},
		},
		{
			"in any order, escaped, behind other keys",
			map[string]any{
				"Kind": "Other", "aa": []any{map[string]any{"kind": "X", "name": "x"}, "]}"},
				"kind": "A\"é", "apiVersion": "v1", "metadata": map[string]any{
					"annotations": map[string]any{"name": "no", "namespace": "no"}, "name": "yes", "namespace": "n",
				},
			},
			manifest.ID{APIVersion: "v1", Kind: "A\"é", Namespace: "n", Name: "yes"},
		},
		{"of other types", map[string]any{"kind": 7, "apiVersion": []int{1}, "metadata": "x"}, manifest.ID{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, err := manifest.New(test.v)
			require.NoError(t, err)
			require.Equal(t, test.want, o.ID)
		})
	}
	for _, v := range []any{math.NaN(), []string{"kind"}} {
		_, err := manifest.New(v)
		require.Error(t, err)
	}
}

func TestIDStrings(t *testing.T) {
	vm := manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "default", Name: "web01"}
	require.Equal(t, "VirtualMachine default/web01", vm.String())
	require.Equal(t, "kubevirt.io", vm.Group())
	namespace := manifest.ID{APIVersion: "v1", Kind: "Namespace", Name: "default"}
	require.Equal(t, "Namespace default", namespace.String())
	require.Empty(t, namespace.Group())
}
