package report_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/status"
	"github.com/vmrender/vmrender/schema"
)

// statusOf returns a status of n VMs that wait for a restart, and of one that is up to
// date.
func statusOf(n int) report.Status {
	s := &status.Status{Counts: map[status.State]int{status.StateOK: 1}, Notes: []string{"a note"}}
	for i := range n {
		id := vm(fmt.Sprintf("web-%d", i))
		s.VMs = append(s.VMs, status.Standing{ID: id, State: status.StateRestart, Facts: []status.Fact{{
			State: status.StateRestart, Code: status.FactRestart, Object: id,
			Says: "waits for a restart: memory, tpm | <b>\x1b[31m",
			Fields: []impact.FieldStatus{{
				Path: "spec.template.spec.domain.memory.guest", Key: "memory", Is: `"4Gi"`, Wanted: `"2Gi"`,
				By: "kubectl", At: "2026-11-22T03:00:00Z",
			}},
		}}})
		s.Counts[status.StateRestart]++
	}
	s.VMs = append(s.VMs, status.Standing{ID: vm("fine")})
	return report.Status{
		Status: s, Git: report.Side{Label: "main"},
		Cluster: report.Side{Label: "the cluster", Exported: "2026-11-22T03:00:00Z"},
	}
}

func TestStatusJSONIsOfItsSchema(t *testing.T) {
	text, err := fs.ReadFile(schema.Output, "status.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("status.schema.json", doc))
	compiled := compiler.MustCompile("status.schema.json")
	validate := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return compiled.Validate(doc)
	}
	for _, n := range []int{0, 2} {
		var out strings.Builder
		require.NoError(t, report.StatusJSON(&out, statusOf(n)))
		require.NoError(t, validate(out.String()), out.String())
		require.Error(t, validate(strings.Replace(out.String(), `"headline"`, `"head"`, 1)))
		if n > 0 {
			require.Error(t, validate(strings.Replace(out.String(), `"state": "restart"`, `"state": "reboot"`, 1)))
			require.Error(t, validate(strings.Replace(out.String(), `"code": "waits-for-restart"`, `"code": "waits"`, 1)))
		}
	}
}

// A comment fits GitHub's limit, however many VMs there are. It counts all of them and
// contains no markup from them.
func TestStatusMarkdownFits(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		var out strings.Builder
		require.NoError(t, report.StatusMarkdown(&out, statusOf(n)))
		require.Less(t, out.Len(), 60_000)
		require.True(t, strings.HasPrefix(out.String(), "### "+statusOf(n).Headline()+"\n"))
		require.NotContains(t, out.String(), "<b>")
		require.NotContains(t, out.String(), "\x1b")
		require.Equal(t, n == 5000, strings.Contains(out.String(), " more\n"))
	}
}

// VMs that match Git are counted, and are named only if all VMs are requested.
func TestStatusTextIsALineEach(t *testing.T) {
	s := statusOf(2)
	require.Equal(t, "2 of 3 VMs not as Git has them: 2 restart", s.Headline())
	require.Equal(t, "1 VM, as Git has it", statusOf(0).Headline())
	var out strings.Builder
	require.NoError(t, report.StatusText(&out, s))
	require.Equal(t, 2, strings.Count(out.String(), "\nrestart  prod/web-"))
	require.NotContains(t, out.String(), "fine")
	require.NotContains(t, out.String(), "\x1b")
	s.Verbose = true
	out.Reset()
	require.NoError(t, report.StatusText(&out, s))
	require.Contains(t, out.String(), "\nok       prod/fine\n")
	require.Contains(t, out.String(),
		`spec.template.spec.domain.memory.guest "4Gi" → "2Gi", by kubectl at 2026-11-22T03:00:00Z`)
}

// Other objects have their own list, and count in the headline and for --fail-on. A platform has no VMs.
func TestStatusOfOtherObjects(t *testing.T) {
	s := statusOf(0)
	s.Objects = []status.Standing{{
		ID:    manifest.ID{APIVersion: "hco.kubevirt.io/v1beta1", Kind: "HyperConverged", Namespace: "cnv", Name: "kubevirt"},
		State: status.StateDrift, Facts: []status.Fact{{
			State: status.StateDrift, Code: status.FactDrift, Says: "was changed in the cluster: spec.x is 120, and 150 in Git",
			Fields: []impact.FieldStatus{{Path: "spec.x", Is: "120", Wanted: "150"}},
		}},
	}}
	require.Equal(t, "1 VM, as Git has it; 1 other object: 1 drift", s.Headline())
	require.True(t, s.Reaches(status.StateDrift))
	for _, f := range report.StatusFormats() {
		var out strings.Builder
		require.NoError(t, f.Write(&out, s))
		for _, part := range []string{"HyperConverged", "kubevirt", "drift"} {
			require.Contains(t, out.String(), part, f.Name)
		}
		isMetrics := f.Name == "prometheus" // which have no room for fields
		require.Equal(t, !isMetrics, strings.Contains(out.String(), "spec.x is 120, and 150 in Git"), f.Name)
	}
	s.VMs, s.Counts = nil, nil
	require.Equal(t, "1 object not as Git has it: 1 drift", s.Headline())
}

func TestStatusReaches(t *testing.T) {
	require.True(t, statusOf(1).Reaches(status.StateStaged))
	require.False(t, statusOf(1).Reaches(status.StateDown))
	require.False(t, statusOf(1).Reaches(status.StateOK))
}

func TestStatusWriteErrorsAreReturned(t *testing.T) {
	for _, f := range report.StatusFormats() {
		require.ErrorIs(t, f.Write(broken{}, statusOf(1)), io.ErrClosedPipe, f.Name)
	}
}
