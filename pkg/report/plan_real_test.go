package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// Every cause that the rules find is in the text, and no secret is in any format.
func TestPlanOfRealObjects(t *testing.T) {
	old := readAll(t)
	edit := strings.NewReplacer(
		"guest: 4Gi", "guest: 2Gi", "zone: a", "zone: b", "s3cret", "t0psecret", "claimName: db-data", "claimName: db-other",
		"web-root-1111", "web-root-2222", "web:1", "web:2", "sockets: 1}", "sockets: 2}", "storage: 50Gi", "storage: 60Gi",
	)
	o := plan.Options{Cluster: cluster.Settings{OpenShift: true}}
	p := report.Plan{
		Plan:    plan.New(objects(t, old), objects(t, edit.Replace(old)), o),
		Version: "v1.2.3", From: report.Side{Label: "old"}, To: report.Side{Label: "new"}, Verbose: true,
	}
	for _, f := range report.PlanFormats() {
		t.Run(f.Name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, f.Write(&out, p))
			require.NotContains(t, out.String(), "s3cret")
			require.NotContains(t, out.String(), "t0psecret")
		})
	}
	text := textOf(t, p)
	require.Regexp(t, `^2 of 2 VMs: `, text)
	for _, v := range p.VMs {
		require.Greater(t, len(v.Causes), 3)
		for _, c := range v.Causes {
			require.Contains(t, text, c.Reason+" ["+string(c.Code)+"]\n")
		}
	}
	require.Contains(t, text, `{"userData":"***"}`)
	requireHarmless(t, markdownOf(t, p))
}

func readAll(t *testing.T) string {
	t.Helper()
	var all []string
	for _, name := range []string{"pet.yaml", "cattle.yaml"} {
		text, err := os.ReadFile("../plan/testdata/" + name)
		require.NoError(t, err)
		all = append(all, string(text))
	}
	return strings.Join(all, "\n---\n")
}

func objects(t *testing.T, text string) []manifest.Object {
	t.Helper()
	out, err := manifest.Read(strings.NewReader(text))
	require.NoError(t, err)
	return out
}
