package plan_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// FuzzPlan checks that no pair of objects breaks a plan, that equal sets change
// nothing, and that the summary counts every verdict.
func FuzzPlan(f *testing.F) {
	f.Add(
		[]byte(`{"spec":{"template":{"spec":{"domain":{"cpu":{"sockets":1}}}}}}`),
		[]byte(`{"spec":{"template":{"spec":{"volumes":[{"name":"a"}]}}}}`),
	)
	f.Add(
		[]byte(`{"spec":{"template":{"spec":{"domain":{"devices":{"disks":[{"name":"a"},{"name":"a"}]}}}}}}`),
		[]byte(`{"spec":[]}`),
	)
	f.Add(
		[]byte(`{"spec":{"running":true,"dataVolumeTemplates":[{"metadata":{"name":"a"}}]}}`),
		[]byte(`{"metadata":{"annotations":{"argocd.argoproj.io/sync-options":"Force=true,Replace=true"}}}`),
	)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		for _, kind := range []manifest.ID{
			{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "ns", Name: "vm"},
			{APIVersion: "pool.kubevirt.io/v1beta1", Kind: "VirtualMachinePool", Namespace: "ns", Name: "vm"},
			{APIVersion: "cdi.kubevirt.io/v1beta1", Kind: "DataVolume", Namespace: "ns", Name: "vm"},
			{APIVersion: "batch/v1", Kind: "Job", Namespace: "ns", Name: "vm-rollout"},
		} {
			was, now := []manifest.Object{{ID: kind, JSON: a}}, []manifest.Object{{ID: kind, JSON: b}}
			p := plan.New(was, now, plan.Options{})
			require.Equal(t, len(p.VMs), sum(p.Summary.VMs))
			require.Equal(t, len(p.Objects), sum(p.Summary.Objects))
			require.Equal(t, plan.None, plan.New(was, was, plan.Options{}).Worst())
			plan.New(was, now, plan.Options{Live: slices.Concat(was, now)})
			plan.New(now, now, plan.Options{Live: was})
			applied, _ := plan.FromCluster(was, now)
			plan.New(applied, now, plan.Options{Live: was})
			plan.New(nil, now, plan.Options{})
			plan.New(was, nil, plan.Options{})
		}
	})
}

func sum(counts map[plan.Level]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
