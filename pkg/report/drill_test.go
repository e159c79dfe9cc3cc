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

	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/schema"
)

// drillOf returns a drill with n VMs that lose two disks, one that may lose a Secret, and one that comes back whole.
func drillOf(n int) report.Drill {
	d := &drill.Drill{
		Notes: []string{"a note"}, Score: drill.Score{VMs: n + 2, Whole: 1, Unknown: 1},
		Counts: map[drill.Kind]int{drill.Secret: 1},
	}
	for i := range n {
		id := vm(fmt.Sprintf("db-%d", i))
		loss := drill.Loss{Kind: drill.Disk, Object: id, Disk: "d", Reason: "no backup | <b>\x1b[31m"}
		d.VMs = append(d.VMs, drill.Rebuild{ID: id, Losses: []drill.Loss{loss, loss}})
		d.Counts[drill.Disk] += 2
	}
	d.VMs = append(d.VMs,
		drill.Rebuild{ID: vm("erp"), Losses: []drill.Loss{
			{Kind: drill.Secret, Reason: "a Secret", Unknown: []string{"a thing"}},
		}},
		drill.Rebuild{ID: vm("web")})
	return report.Drill{Drill: d, Cluster: report.Side{Label: "the cluster", Exported: "2026-11-22T03:00:00Z"}}
}

// noDrill returns the drill of a cluster without VMs.
func noDrill() report.Drill { return report.Drill{Drill: &drill.Drill{Counts: map[drill.Kind]int{}}} }

func TestDrillJSONIsOfItsSchema(t *testing.T) {
	text, err := fs.ReadFile(schema.Output, "drill.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("drill.schema.json", doc))
	compiled := compiler.MustCompile("drill.schema.json")
	validate := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return compiled.Validate(doc)
	}
	for _, d := range []report.Drill{drillOf(2), noDrill()} {
		var out strings.Builder
		require.NoError(t, report.DrillJSON(&out, d))
		require.NoError(t, validate(out.String()), out.String())
		require.NotContains(t, out.String(), "null")
	}
	var out strings.Builder
	require.NoError(t, report.DrillJSON(&out, drillOf(2)))
	require.Error(t, validate(strings.Replace(out.String(), `"kind": "disk"`, `"kind": "disks"`, 1)))
	require.Error(t, validate(strings.Replace(out.String(), `"disk": 2`, `"disks": 2`, 1)))
}

// A comment fits GitHub's limit, however many VMs there are. It counts all of them and contains no markup from them.
func TestDrillMarkdownFits(t *testing.T) {
	requireFits(t, func(w io.Writer, n int) error { return report.DrillMarkdown(w, drillOf(n)) })
}

// The first line of the text has the score, and is marked if a part of it is unknown.
func TestDrillTextSumsUp(t *testing.T) {
	for n, want := range map[int]string{
		0: "[?] 1 of 2 VMs come back whole (50%): 1 may lose something",
		1: "[?] 1 of 3 VMs come back whole (33%): 1 loses something, 1 may lose something",
		2: "[?] 1 of 4 VMs come back whole (25%): 2 lose something, 1 may lose something",
	} {
		var out strings.Builder
		require.NoError(t, report.DrillText(&out, drillOf(n)))
		require.True(t, strings.HasPrefix(out.String(), want+"\n"), out.String())
		require.NotContains(t, out.String(), "\x1b")
	}
	require.Equal(t, "no VM", noDrill().Headline())
	d := noDrill()
	d.Score = drill.Score{VMs: 1, Whole: 1}
	require.Equal(t, "1 of 1 VM comes back whole (100%)", d.Headline())
	d.Unknown = []string{"what may not be read in the cluster: schedules.velero.io"}
	require.Equal(t, "[?] 1 of 1 VM comes back whole (100%)", d.Headline())
}

func TestDrillReaches(t *testing.T) {
	require.True(t, drillOf(1).Reaches(drill.Secret))
	require.False(t, drillOf(1).Reaches(drill.NotInGit))
	require.True(t, drillOf(0).Reaches(drill.Secret), "an uncertain loss counts")
	require.False(t, drillOf(1).Reaches(drill.Nothing))
}

func TestDrillWriteErrorsAreReturned(t *testing.T) {
	for _, f := range report.DrillFormats() {
		require.ErrorIs(t, f.Write(broken{}, drillOf(1)), io.ErrClosedPipe, f.Name)
	}
}
