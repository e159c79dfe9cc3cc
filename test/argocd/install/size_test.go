package install_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// group is the part of the chart's values that sets the number and size of the servers of a group (argo-helm,
// charts/argo-cd 10.1.1, values.yaml).
type group struct {
	Replicas  int                         `json:"replicas"`
	Resources corev1.ResourceRequirements `json:"resources"`
}

// sizeValues are the values that `vmrender app --size` prints.
type sizeValues struct {
	Configs struct {
		CM     map[string]string `json:"cm"`
		Params map[string]string `json:"params"`
	} `json:"configs"`
	Controller group `json:"controller"`
	Redis      group `json:"redis"`
	RepoServer struct {
		group
		ExtraContainers []corev1.Container `json:"extraContainers"`
		Volumes         []corev1.Volume    `json:"volumes"`
	} `json:"repoServer"`
}

// Argo CD's own manifests read every setting of `vmrender app --size`, and its sidecar is one that can run.
func TestSize(t *testing.T) {
	text, err := os.ReadFile("../../../pkg/sizing/testdata/large.yaml")
	require.NoError(t, err)
	var values sizeValues
	require.NoError(t, yaml.UnmarshalStrict(text, &values))

	known := variables(t, controllerManifest, repoServerManifest, serverManifest)
	require.NotEmpty(t, values.Configs.CM)
	for _, settings := range []map[string]string{values.Configs.CM, values.Configs.Params} {
		for key := range settings {
			require.Contains(t, known, key)
		}
	}
	require.Greater(t, values.Controller.Replicas, 1)
	require.Equal(t, "round-robin", values.Configs.Params["controller.sharding.algorithm"])

	d := repoServer(t)
	var before helmValues // whose other lists stay
	decode(t, "helm/values.yaml", &before)
	extend(t, d, values.RepoServer.ExtraContainers, values.RepoServer.Volumes,
		before.RepoServer.Env, before.RepoServer.VolumeMounts)
	check(t, d, 999)
	limit := sidecar(t, d).Resources.Limits[corev1.ResourceMemory]
	require.Positive(t, limit.Cmp(resource.MustParse("1Gi")))
}
