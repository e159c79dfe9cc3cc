package render

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// collected returns what a Collector has rendered after visiting machines.
func collected(t *testing.T, machines ...*machine.Machine) []Rendered {
	t.Helper()
	c := NewCollector()
	for _, m := range machines {
		var diags source.Diagnostics
		c.Visit(m, &diags)
		require.Empty(t, diags.Sorted())
	}
	var diags source.Diagnostics
	rendered := c.Rendered(&diags)
	require.Empty(t, diags.Sorted())
	return rendered
}

func named(m *machine.Machine, namespace, name string) *machine.Machine {
	m.Namespace, m.Name = namespace, name
	return m
}

// The Jobs of a fleet are in golden files: two machines of a namespace share one
// Job, which uses their image and part of the fleet.
func TestJobsGolden(t *testing.T) {
	a, b := named(cattleMachine(t), "prod", "b"), named(cattleMachine(t), "prod", "a")
	p, q := named(ansibleMachine(t), "prod", "q"), named(ansibleMachine(t), "prod", "p")
	for _, m := range []*machine.Machine{a, b, p, q} {
		m.Lifecycle.Ansible = nil
		m.Target.Image = "registry.example.com/vmrender:1.0"
	}
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	jobs := 0
	for _, r := range collected(t, q, a, p, b) {
		if r.Jobs {
			jobs++
			require.NoError(t, Write(w, r))
		}
	}
	require.NoError(t, w.Close())
	require.Equal(t, 2, jobs)
	golden.Equal(t, filepath.Join("testdata", "fleet", "jobs.yaml"), out.String())
}

// There is a Job for every namespace, after all machines, but not for machines that
// need none.
func TestJobsPerNamespace(t *testing.T) {
	other := named(cattleMachine(t), "b", "z")
	other.Part = "site-a-89abcdef"
	var got []string
	for _, r := range collected(t, other,
		named(cattleMachine(t), "b", "y"), named(cattleMachine(t), "a", "x"),
		named(linuxMachine(t), "a", "w"), named(replacedMachine(t), "c", "v"),
	) {
		got = append(got, r.Namespace+"/"+r.Name)
	}
	require.Equal(t, []string{
		"a/w", "c/v", "a/x", "b/y", "b/z",
		"a/site-a-01234567-rollout", "b/site-a-01234567-rollout", "b/site-a-89abcdef-rollout",
	}, got)
}

// Every machine has a policy, with only the facts that hold for it.
func TestPolicyOf(t *testing.T) {
	for name, machine := range goldenMachines() {
		m := machine(t)
		p := PolicyOf(m)
		require.Equal(t, m.Lifecycle.Strategy, p.Strategy, name)
		for _, on := range Events() {
			require.NotEmpty(t, factsOf(p, on), name)
		}
	}
	texts := func(m *machine.Machine) string {
		var out bytes.Buffer
		for _, f := range PolicyOf(m).Facts {
			out.WriteString(f.Text + "\n")
		}
		return out.String()
	}
	pet := linuxMachine(t)
	require.Contains(t, texts(pet), "until the deletion is confirmed")
	require.NotContains(t, texts(pet), "VirtualMachineSnapshot")
	pet.Target.ArgoCD = "2.13"
	require.Contains(t, texts(pet), "The VirtualMachine stays in the cluster")
	require.NotContains(t, texts(pet), "until the deletion is confirmed")
	require.Contains(t, texts(ansibleMachine(t)), "VirtualMachineSnapshot")
}

func factsOf(p Policy, on Event) []Fact {
	var out []Fact
	for _, f := range p.Facts {
		if f.On == on {
			out = append(out, f)
		}
	}
	return out
}

// The names of Jobs, and with them those of what they may do, must never change:
// Argo CD would leave the old ones in the cluster. They are literals on purpose.
func TestPinnedJobNames(t *testing.T) {
	pet := ansibleMachine(t)
	require.True(t, pet.Lifecycle.SnapshotBefore)
	var got []string
	for _, r := range collected(t, pet, named(cattleMachine(t), "prod", "b")) {
		if r.Jobs {
			got = append(got, r.Namespace+"/"+r.Name)
		}
	}
	require.Equal(t, []string{"default/site-a-01234567-snapshot", "prod/site-a-01234567-rollout"}, got)
}
