package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// One cause that many VMs have is one line, with the VMs that differ in their number as one name; the texts that quote
// a VM's name speak of NAME. Two VMs, and each cause of its own, have their lines.
func TestFolds(t *testing.T) {
	p := &plan.Plan{}
	add := func(name, reason string, level impact.Level) {
		p.VMs = append(p.VMs, plan.Verdict{
			ID:    manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "prod", Name: name},
			Level: level, Causes: []impact.Cause{{Level: level, Code: "code", Reason: reason}},
		})
	}
	for i := range 12 {
		name := fmt.Sprint("web-", i)
		add(name, fmt.Sprintf("the disk %q is deleted", name+"-data"), impact.DataLoss)
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		add(name, "one reason", impact.Restart)
	}
	add("x", "two of a kind", impact.Restart)
	add("y", "two of a kind", impact.Restart)
	add("web-20", "its own", impact.Restart)
	all := report.Plan{Plan: counted(p, 0)}

	var text strings.Builder
	require.NoError(t, report.PlanText(&text, all))
	require.Contains(t, text.String(), "  prod/web-0 … web-11 (12)  the disk \"NAME-data\" is deleted\n")
	require.Contains(t, text.String(), "  prod/a, prod/b, prod/c, prod/d, 2 more (6)  one reason\n")
	for _, alone := range []string{"prod/x", "prod/y", "prod/web-20"} {
		require.Regexp(t, "\n  "+alone+" ", text.String())
	}

	markdown := markdownOf(t, all)
	require.Contains(t, markdown, "| **data loss** | `prod/web-0 … web-11` (12) | ")
	require.Contains(t, markdown, "`prod/f` (6) | one reason |")

	all.Verbose = true
	text.Reset()
	require.NoError(t, report.PlanText(&text, all))
	require.Contains(t, text.String(), "prod/web-11 ")
	require.NotContains(t, text.String(), `"NAME`)
}
