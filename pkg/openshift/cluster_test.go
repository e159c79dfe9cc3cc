package openshift_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/openshift"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestCluster(t *testing.T) {
	for text, want := range map[string]struct {
		target               openshift.Cluster
		kubernetes, kubeVirt string
		problem              string
	}{
		"true":     {},
		"false":    {target: openshift.Cluster{No: true}},
		`"4.18"`:   {target: openshift.Cluster{Release: "4.18"}, kubernetes: "1.31", kubeVirt: "1.4"},
		`"4.20"`:   {target: openshift.Cluster{Release: "4.20"}, kubernetes: "1.33", kubeVirt: "1.6"},
		`"4.9"`:    {target: openshift.Cluster{Release: "4.9"}, kubernetes: "1.22"},
		"4.20":     {problem: `"4.20"`},
		`"4.20.1"`: {problem: `"4.20.1"`},
		`"3.11"`:   {problem: `"3.11"`},
		`"yes"`:    {problem: `"yes"`},
	} {
		t.Run(text, func(t *testing.T) {
			var diags source.Diagnostics
			var got openshift.Cluster
			node := source.Parse(&source.File{Name: "a.yaml", Data: []byte(text)}, &diags)[0]
			got.DecodeNode(node, source.Path{}, &diags)
			if want.problem != "" {
				require.Len(t, diags.Sorted(), 1)
				require.Contains(t, diags.Sorted()[0].String(), "invalid release "+want.problem)
				return
			}
			require.Empty(t, diags.Sorted())
			require.Equal(t, want.target, got)
			require.Equal(t, want.kubernetes, got.Kubernetes())
			require.Equal(t, want.kubeVirt, got.KubeVirt())
		})
	}
}
