package versions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

func TestOpenShift(t *testing.T) {
	for text, want := range map[string]struct {
		target               versions.OpenShift
		kubernetes, kubeVirt string
		problem              string
	}{
		"true":     {},
		"false":    {target: versions.OpenShift{Absent: true}},
		`"4.18"`:   {target: versions.OpenShift{Release: "4.18"}, kubernetes: "1.31", kubeVirt: "1.4"},
		`"4.20"`:   {target: versions.OpenShift{Release: "4.20"}, kubernetes: "1.33", kubeVirt: "1.6"},
		`"4.9"`:    {target: versions.OpenShift{Release: "4.9"}, kubernetes: "1.22"},
		"4.20":     {problem: `"4.20"`},
		`"4.20.1"`: {problem: `"4.20.1"`},
		`"3.11"`:   {problem: `"3.11"`},
		`"yes"`:    {problem: `"yes"`},
	} {
		t.Run(text, func(t *testing.T) {
			var diags source.Diagnostics
			var got versions.OpenShift
			node := source.Parse(&source.File{Name: "a.yaml", Data: []byte(text)}, &diags)[0]
			got.DecodeNode(node, source.Path{}, &diags)
			if want.problem != "" {
				require.Len(t, diags.Sorted(), 1)
				require.Contains(t, diags.Sorted()[0].String(), "invalid release "+want.problem)
				return
			}
			require.Equal(t, text == `"4.9"`, len(diags.Sorted()) > 0, "only 4.18 to 4.23 have rules")
			require.False(t, diags.HasErrors())
			require.Equal(t, want.target, got)
			require.Equal(t, want.kubernetes, got.Kubernetes())
			require.Equal(t, want.kubeVirt, got.KubeVirt())
		})
	}
}
