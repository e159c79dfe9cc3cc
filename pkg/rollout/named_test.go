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
		"/api/v1":      `{"resources": [{"name": "secrets", "kind": "Secret", "namespaced": true}]}`,
		v1 + "/namespaces/cnv/hyperconvergeds/hc":    `{"kind": "HyperConverged", "spec": {"n": 10000000000000001}}`,
		nodeHealthPath + "/nodehealthchecks/workers": `{"kind": "NodeHealthCheck"}`,
		"/api/v1/namespaces/cnv/secrets/s":           `{"kind": "Secret"}`,
	})
	stream, unread, err := c.Named(context.Background(), []manifest.ID{
		{APIVersion: "hco.kubevirt.io/v1", Kind: "HyperConverged", Namespace: "cnv", Name: "hc"},
		{APIVersion: "hco.kubevirt.io/v1", Kind: "HyperConverged", Namespace: "cnv", Name: "none"},
		{APIVersion: "remediation.medik8s.io/v1alpha1", Kind: "NodeHealthCheck", Name: "workers"},
		{APIVersion: "nmstate.io/v1", Kind: "NMState", Name: "nmstate"},
		{APIVersion: "v1", Kind: "Secret", Namespace: "cnv", Name: "s"},
	})
	require.NoError(t, err)
	require.Empty(t, unread)
	require.Equal(t, "---\n"+`{"kind": "HyperConverged", "spec": {"n": 10000000000000001}}`+"\n"+
		"---\n"+`{"kind": "NodeHealthCheck"}`+"\n", string(stream))
}
