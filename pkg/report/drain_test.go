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

	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/status"
	"github.com/vmrender/vmrender/schema"
)

// drainOf returns a drain of a node with n VMs that block it, and one that moves.
func drainOf(n int) report.Drain {
	d := &status.Drain{Node: "w1", Counts: map[status.Outcome]int{status.OutcomeMoves: 1}, Notes: []string{"a note"}}
	for i := range n {
		d.VMs = append(d.VMs, status.Eviction{
			ID: vm(fmt.Sprintf("db-%d", i)), Outcome: status.OutcomeBlocks, Code: status.DrainCannotMigrate,
			Says: "cannot live-migrate | <b>\x1b[31m", Advice: "stop it", Unknown: []string{"a thing"},
		})
		d.Counts[status.OutcomeBlocks]++
	}
	d.VMs = append(d.VMs, status.Eviction{ID: vm("web"), Code: status.DrainMigrates, Says: "live-migrates"})
	return report.Drain{Drain: d, Cluster: report.Side{Label: "the cluster", Exported: "2026-11-22T03:00:00Z"}}
}

func TestDrainJSONIsOfItsSchema(t *testing.T) {
	text, err := fs.ReadFile(schema.Output, "drain.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("drain.schema.json", doc))
	compiled := compiler.MustCompile("drain.schema.json")
	validate := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return compiled.Validate(doc)
	}
	var out strings.Builder
	require.NoError(t, report.DrainJSON(&out, drainOf(2)))
	require.NoError(t, validate(out.String()), out.String())
	require.Error(t, validate(strings.Replace(out.String(), `"outcome": "blocks"`, `"outcome": "stays"`, 1)))
	require.Error(t, validate(strings.Replace(out.String(), `"code": "migrates"`, `"code": "goes"`, 1)))
	out.Reset()
	none := report.Drain{Drain: &status.Drain{Node: "w1", Counts: map[status.Outcome]int{}}}
	require.NoError(t, report.DrainJSON(&out, none))
	require.NoError(t, validate(out.String()), out.String())
	require.NotContains(t, out.String(), "null")
}

// A comment fits GitHub's limit, however many VMs there are. It counts all of them and contains no markup from them.
func TestDrainMarkdownFits(t *testing.T) {
	requireFits(t, func(w io.Writer, n int) error { return report.DrainMarkdown(w, drainOf(n)) })
}

// requireFits requires that a comment with n VMs is short and plain, and tells what it leaves out.
func requireFits(t *testing.T, write func(w io.Writer, n int) error) {
	t.Helper()
	for _, n := range []int{0, 1, 5000} {
		var out strings.Builder
		require.NoError(t, write(&out, n))
		require.Less(t, out.Len(), 60_000)
		require.NotContains(t, out.String(), "<b>")
		require.NotContains(t, out.String(), "\x1b")
		require.Equal(t, n == 5000, strings.Contains(out.String(), " more\n"))
	}
}

// The last line of the text counts all VMs, and is marked if a part of it is unknown.
func TestDrainTextSumsUp(t *testing.T) {
	for n, want := range map[int]string{
		0: "1 VM on w1: 1 moves",
		1: "[?] 2 VMs on w1: 1 blocks its drain, 1 moves",
		2: "[?] 3 VMs on w1: 2 block its drain, 1 moves",
	} {
		var out strings.Builder
		require.NoError(t, report.DrainText(&out, drainOf(n)))
		require.True(t, strings.HasSuffix(out.String(), "\n\n"+want+"\n"), out.String())
		require.NotContains(t, out.String(), "\x1b")
	}
	d := drainOf(0)
	d.Unknown = []string{"what may not be read in the cluster: pods"}
	require.Equal(t, "[?] 1 VM on w1: 1 moves", d.Headline())
	d.VMs, d.Counts, d.Unknown = nil, nil, nil
	require.Equal(t, "no VM on w1", d.Headline())
}

func TestDrainReaches(t *testing.T) {
	require.True(t, drainOf(1).Reaches(status.OutcomeStops))
	require.False(t, drainOf(0).Reaches(status.OutcomeStops))
	require.False(t, drainOf(1).Reaches(status.OutcomeMoves))
}

func TestDrainWriteErrorsAreReturned(t *testing.T) {
	for _, f := range report.StatusFormats() {
		require.ErrorIs(t, f.WriteDrain(broken{}, drainOf(1)), io.ErrClosedPipe, f.Name)
	}
}
