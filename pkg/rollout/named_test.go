package rollout

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Objects are read by their names, in the version of the name. What does not exist, or whose kind is not served, is
// left out, and Secrets are not read.
func TestNamed(t *testing.T) {
	const v1 = "/apis/hco.kubevirt.io/v1"
	c := serve(t, map[string]string{
		v1:             `{"resources": [{"name": "hyperconvergeds", "kind": "HyperConverged", "namespaced": true}]}`,
		nodeHealthPath: `{"resources": [{"name": "nodehealthchecks", "kind": "NodeHealthCheck"}]}`,
		"/api/v1": `{"resources": [{"name": "secrets", "kind": "Secret", "namespaced": true},
			{"name": "configmaps", "kind": "ConfigMap", "namespaced": true}, {"name": "broken", "kind": "Broken"}]}`,
		v1 + "/namespaces/cnv/hyperconvergeds/hc":    `{"kind": "HyperConverged", "spec": {"n": 10000000000000001}}`,
		nodeHealthPath + "/nodehealthchecks/workers": `{"kind": "NodeHealthCheck"}`,
		"/api/v1/namespaces/cnv/secrets/s":           `{"kind": "Secret"}`,
		"/api/v1/namespaces/cnv/configmaps/c":        `{"kind": "ConfigMap"}`, "/api/v1/broken/b": "no JSON",
	})
	stream, unread, err := c.Named(context.Background(), []Wanted{
		{ID: manifest.ID{APIVersion: "hco.kubevirt.io/v1", Kind: "HyperConverged", Namespace: "cnv", Name: "hc"}},
		{ID: manifest.ID{APIVersion: "hco.kubevirt.io/v1", Kind: "HyperConverged", Namespace: "cnv", Name: "none"}},
		{ID: manifest.ID{APIVersion: "remediation.medik8s.io/v1alpha1", Kind: "NodeHealthCheck", Name: "workers"}},
		{ID: manifest.ID{APIVersion: "v1", Kind: "ConfigMap", Name: "c"}, Default: "cnv"},
		{ID: manifest.ID{APIVersion: "v1", Kind: "Broken", Name: "b"}},
		{ID: manifest.ID{APIVersion: "nmstate.io/v1", Kind: "NMState", Name: "nmstate"}},
		{ID: manifest.ID{APIVersion: "v1", Kind: "Secret", Namespace: "cnv", Name: "s"}},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"Broken b"}, unread)
	require.Equal(t, "---\n"+`{"kind": "HyperConverged", "spec": {"n": 10000000000000001}}`+"\n"+
		"---\n"+`{"kind": "NodeHealthCheck"}`+"\n---\n"+`{"kind": "ConfigMap"}`+"\n", string(stream))
}
