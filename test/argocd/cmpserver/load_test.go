package cmpserver

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/stretchr/testify/require"
)

// parallel is the number of Applications that are rendered at the same time.
const parallel = 50

// order is an Application, the equivalent arguments of the command-line tool,
// and the tool's answer.
type order struct {
	Application
	args      []string
	rendered  []any
	complaint string
}

// newOrder returns the i-th of many Applications. All differ in the names and
// the number of their VMs. Every fifth has mistakes, every third is a part of a
// fleet, and every fourth has parameters.
func newOrder(t *testing.T, i int) order {
	size := 1 + i*i%89
	if i == 0 {
		size = 3000
	}
	tenant := fmt.Sprintf("tenant%02d", i)
	var part, other strings.Builder
	part.WriteString("vms:\n")
	for n := range size {
		flavor := "small"
		if i%5 == 4 && n%10 == 0 {
			flavor = tenant + "-flavour"
		}
		fmt.Fprintf(&part, "  %s-vm%d: {flavor: %s}\n", tenant, n, flavor)
	}
	fmt.Fprintf(&other, "vms: {%s-other: {flavor: large}}\n", tenant)
	o := order{Application: Application{
		Name:      tenant,
		Namespace: tenant + "-ns",
		Root: tree(t, map[string]string{
			"fleet.yaml": fmt.Sprintf("apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: %s}\n"+
				"vars: {tier: silver}\ndefaults: {os: fedora, labels: {tenant: %s, tier: '{{ .vars.tier }}'}}\n", tenant, tenant),
			"part/vms.yaml":   part.String(),
			"other/vms.yaml":  other.String(),
			"part/README.txt": "not a part of the fleet",
		}),
		Path: ".",
	}}
	if i%3 == 0 {
		o.Path = "part"
	}
	if i%4 == 0 {
		o.Parameters = v1alpha1.ApplicationSourcePluginParameters{{
			Name:        "vars",
			OptionalMap: &v1alpha1.OptionalMap{Map: map[string]string{"tier": tenant + "-tier"}},
		}}
		o.args = []string{"--set", "tier=" + tenant + "-tier"}
	}
	o.rendered, o.complaint = byHand(t, o.Application, o.args...)
	return o
}

// Each of 50 Applications that are rendered at the same time gets the answer
// that vmrender gives to it alone: its own objects or its own complaint.
func TestParallel(t *testing.T) {
	orders := make([]order, parallel)
	failing := 0
	for i := range orders {
		orders[i] = newOrder(t, i)
		if orders[i].complaint != "" {
			failing++
			require.Contains(t, orders[i].complaint, orders[i].Name+"-flavour")
		}
	}
	require.Equal(t, parallel/5, failing)

	s := serve(t)
	manifests := make([][]string, parallel)
	errs := make([]error, parallel)
	ctx := patient(t)
	start := make(chan struct{})
	var calls sync.WaitGroup
	for i := range orders {
		calls.Go(func() {
			<-start
			manifests[i], errs[i] = s.Generate(ctx, orders[i].Application)
		})
	}
	close(start)
	calls.Wait()

	for i, o := range orders {
		if o.complaint != "" {
			require.EqualError(t, errs[i], refusal(o.complaint))
			continue
		}
		require.NoError(t, errs[i], o.Name)
		require.Len(t, manifests[i], (len(o.rendered)+49)/50, "Argo CD processes Lists of 50 objects fastest")
		require.Equal(t, o.rendered, objects(t, manifests[i]...), o.Name)
	}
	requireNothingLeft(t, s)
}

// requireNothingLeft waits until cmp-server has removed the repositories that it unpacked.
func requireNothingLeft(t *testing.T, s *Server) {
	require.Eventually(t, func() bool {
		left, err := s.Unpacked()
		return err == nil && len(left) == 0
	}, patience, 10*time.Millisecond)
}
