package flux

import (
	"encoding/json"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/stretchr/testify/require"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

const fleet = "testdata/fleet"

// kustomizations returns those that `vmrender app` prints, which have no field that Flux does not know.
func kustomizations(t *testing.T, args ...string) []kustomizev1.Kustomization {
	t.Helper()
	var out []kustomizev1.Kustomization
	for text := range strings.SplitSeq(string(run(t, append([]string{"app", fleet}, args...)...)), "\n---\n") {
		var k kustomizev1.Kustomization
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &k), text)
		out = append(out, k)
	}
	return out
}

// schema is that of Kustomizations in their CRD (kustomize-controller v1.9.4,
// config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml).
func schema(t *testing.T) *spec.Schema {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPI json.RawMessage `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	readYAML(t, "testdata/kustomizations.yaml", &crd)
	require.Equal(t, "v1", crd.Spec.Versions[0].Name)
	s := new(spec.Schema)
	require.NoError(t, json.Unmarshal(crd.Spec.Versions[0].Schema.OpenAPI, s))
	return s
}

// The API server accepts the Kustomizations, which form one chain over the waves that have objects.
func TestKustomizations(t *testing.T) {
	validator := validate.NewSchemaValidator(schema(t), nil, "", strfmt.Default)
	all := kustomizations(t, "--flux-source", "OCIRepository/vms", "--flux-path", "prod", "--ignore", "/spec/runStrategy")
	after := map[string]string{}
	for _, k := range all {
		text, err := json.Marshal(k)
		require.NoError(t, err)
		var object map[string]any
		require.NoError(t, json.Unmarshal(text, &object))
		delete(object, "status") // which only the type has
		require.Empty(t, validator.Validate(object).Errors, k.Name)
		for _, on := range k.Spec.DependsOn {
			after[k.Name] = on.Name
			require.Empty(t, on.ReadyExpr)
		}
		dir := strings.TrimPrefix(k.Name, "shop-")
		require.Equal(t, "./prod/"+dir, k.Spec.Path)
		require.True(t, k.Spec.Prune && !k.Spec.Force)
		require.Equal(t, strings.HasPrefix(dir, "wave-"), k.Spec.Wait)
	}
	require.Equal(t, map[string]string{
		"shop-wave-1": "shop-wave-0", "shop-wave-2": "shop-wave-1", "shop-jobs": "shop-wave-1", "shop-after": "shop-wave-2",
	}, after)
	require.Len(t, all, len(render(t, fleet)))
}

// The validator refuses what the API server does, so that the test above can fail.
func TestSchemaRefuses(t *testing.T) {
	var object map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(
		"{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, "+
			"spec: {interval: soon, prune: true, sourceRef: {kind: Repository, name: a}}}"), &object))
	require.Len(t, validate.NewSchemaValidator(schema(t), nil, "", strfmt.Default).Validate(object).Errors, 2)
}
