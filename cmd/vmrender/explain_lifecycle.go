package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// lifecycleKey is the key whose value is also explained in prose.
const lifecycleKey = "lifecycle"

// explainLifecycle prints the lifecycle values of the VM that the options select,
// and what will happen to it because of them.
func explainLifecycle(cmd *cobra.Command, path string, opts fleet.Options, form word) error {
	opts.Alone = true
	f, diags := inventory.Load(path, opts)
	if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	if len(f.Machines) == 0 {
		return errors.New("the VM has no replicas")
	}
	all, _ := explain.VM(path, withoutSelection(opts), opts.VMs[0], "")
	rows := slices.DeleteFunc(all, func(r fleet.Explained) bool {
		return r.Pos.Line == 0 || r.Key != lifecycleKey && !strings.HasPrefix(r.Key, lifecycleKey+".")
	})
	m := f.Machines[0]
	policy := lifecycle.PolicyOf(m, render.VM(m)).Named(m.Name)
	return form.print(cmd.OutOrStdout(), lifecycleOf(policy, rows), func(w io.Writer) error {
		if len(rows) > 0 {
			if err := writeExplained(w, rows); err != nil {
				return err
			}
			fmt.Fprintln(w) //nolint:errcheck // the next write reports it
		}
		return writePolicy(w, policy)
	})
}

func withoutSelection(opts fleet.Options) fleet.Options {
	opts.VMs = nil
	return opts
}

// explainedLifecycle is the JSON output.
type explainedLifecycle struct {
	Kind     string      `json:"kind"`
	Strategy string      `json:"strategy,omitempty"`
	Summary  string      `json:"summary"`
	Facts    []fact      `json:"facts"`
	Values   []explained `json:"values"`
}

type fact struct {
	On   lifecycle.Event `json:"on"`
	Text string          `json:"text"`
}

func lifecycleOf(p lifecycle.Policy, rows []fleet.Explained) explainedLifecycle {
	out := explainedLifecycle{
		Kind: p.Kind, Strategy: string(p.Strategy), Summary: p.Summary,
		Facts: make([]fact, 0, len(p.Facts)), Values: explainedRows(rows),
	}
	for _, f := range p.Facts {
		out.Facts = append(out.Facts, fact{f.On, f.Text})
	}
	return out
}

// writePolicy writes the sentences of docs/reference/lifecycle.md that apply to one VM.
func writePolicy(w io.Writer, p lifecycle.Policy) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", strings.TrimSpace(p.Kind+" "+string(p.Strategy)))
	fmt.Fprintf(&out, "%s\n", p.Summary)
	for _, on := range p.Events() {
		fmt.Fprintf(&out, "\n%s:\n", on)
		for _, f := range p.Facts {
			if f.On == on {
				fmt.Fprintf(&out, "- %s\n", f.Text)
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
