package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/plan"
)

// FuzzPlan checks that no pair of objects breaks a plan, that equal sets change nothing,
// and that the summary counts every verdict.
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
	f.Add(
		[]byte(`{"metadata":{"annotations":{"vmrender.io/approve-from":"live","vmrender.io/becomes":"1"}},"spec":{}}`),
		[]byte(`{"metadata":{"annotations":{"vmrender.io/approved":"restart=1-2,,="}},"spec":{"running":false}}`),
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
			require.Equal(t, impact.None, plan.New(was, was, plan.Options{}).Worst())
			plan.New(was, now, plan.Options{Live: slices.Concat(was, now)})
			plan.New(now, now, plan.Options{Live: was})
			applied, _ := pairs.FromCluster(was, now)
			plan.New(applied, now, plan.Options{Live: was})
			plan.New(nil, now, plan.Options{})
			plan.New(was, nil, plan.Options{})
		}
	})
}

func sum(counts map[impact.Level]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// FuzzApproved checks that an annotation passes a gate only if it has the exact token for
// the risk.
func FuzzApproved(f *testing.F) {
	old, edited := load(f, "pet"), load(f, "pet")
	from.set(old)
	set(2, cores)(edited)
	before := encode(f, old)
	f.Add("restart=11111111-22222222", now, "restart")
	f.Add("data=11111111-22222222,restart=11111111-22222222", now, "data-loss")
	f.Add("restart=11111111-", "", "")
	f.Add("8", "E555555591", "s0")
	f.Add("restart=11111111-2,2", "2,2", "live")
	f.Add("restart=11111111-2\xbb2", "2\xce2", "live")
	f.Fuzz(func(t *testing.T, approved, becomes, level string) {
		if !utf8.ValidString(approved) || !utf8.ValidString(becomes) {
			t.Skip("JSON, and so an annotation, cannot contain it")
		}
		notes{"approved": approved, "becomes": becomes, "approve-from": level}.set(edited)
		g := plan.New(before, encode(t, edited), plan.Options{Cluster: openshift}).VMs[0].Gate
		if g.Blocked() {
			return
		}
		require.NotEmpty(t, becomes)
		require.Contains(t, strings.Split(approved, ","), "restart="+was+"-"+becomes)
	})
}
