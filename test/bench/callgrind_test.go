package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsCounted(t *testing.T) {
	var counted []string
	all := linear()
	for _, s := range all {
		if smaller := smallerForSlope(all, s); smaller != nil {
			counted = append(counted, s.name()+" from "+smaller.name())
		}
	}
	require.Equal(t, []string{
		"helm template, one file, yaml, 100 VMs from helm template, one file, yaml, 1 VMs",
		"vmrender, file per VM, yaml, 1000 VMs from vmrender, file per VM, yaml, 100 VMs",
		"vmrender, file per VM, json, 1000 VMs from vmrender, file per VM, json, 100 VMs",
		"vmrender-cmp, file per VM, json, 1000 VMs from vmrender-cmp, file per VM, json, 100 VMs",
		"vmrender-cmp, one file, json, 1000 VMs from vmrender-cmp, one file, json, 100 VMs",
	}, counted)
}

func TestPlanCoversEveryTarget(t *testing.T) {
	all := inputs("inputs").planned(tools{Helm: "helm", Vmrender: "vmrender", Sidecar: "vmrender-cmp"}, 100_000, 5)
	for i, s := range all {
		s.Samples = []sample{{CPU: time.Duration(i+1) * time.Second, Peak: 1}}
		s.Instructions = 1
	}
	for _, judged := range targets(all) {
		require.NotEqual(t, unmeasured, judged.verdict(), judged.Metric)
	}
}
