package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsCounted(t *testing.T) {
	var counted []string
	for _, s := range linear() {
		if isCounted(s) {
			counted = append(counted, s.name())
		}
	}
	require.Equal(t, []string{
		"helm template, one file, yaml, 1 VMs",
		"vmrender-cmp, file per VM, json, 1 VMs", "vmrender-cmp, one file, json, 1 VMs",
		"helm template, one file, yaml, 100 VMs",
		"vmrender-cmp, file per VM, json, 100 VMs", "vmrender-cmp, one file, json, 100 VMs",
		"vmrender-cmp, file per VM, json, 1000 VMs", "vmrender-cmp, one file, json, 1000 VMs",
		"vmrender-cmp, file per VM, json, 10000 VMs", "vmrender-cmp, one file, json, 10000 VMs",
	}, counted)
}

func TestCountsOfAllProcessesAreAdded(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	_, err := sumOfLogs(dir)
	require.ErrorContains(t, err, "no process")
	write("10", "==10== \n==10== I   refs:      19,181,064\n")
	write("11", "==11== I   refs:      36\n")
	sum, err := sumOfLogs(dir)
	require.NoError(t, err)
	require.EqualValues(t, 19181100, sum)
	write("12", "==12== killed")
	_, err = sumOfLogs(dir)
	require.ErrorContains(t, err, "no count: ==12== killed")
}

func TestSlope(t *testing.T) {
	all := linear()
	require.True(t, math.IsNaN(slope(all, toolSidecar, oneFile, 100, 1_000)))
	for _, s := range all {
		s.Instructions = 10_000_000 + 300_000*int64(s.Size)
	}
	require.InDelta(t, 300_000, slope(all, toolSidecar, oneFile, 100, 1_000), 1)
	require.InDelta(t, 300_000, slope(all, toolHelm, oneFile, 1, 100), 1)
	require.True(t, math.IsNaN(slope(all, toolSidecar, oneFile, 1, 7)))
}

func TestPlanCoversEveryTarget(t *testing.T) {
	dir, bin := inputs("inputs"), tools{Helm: "helm", Vmrender: "vmrender", Sidecar: "vmrender-cmp"}
	all := dir.withCommands(dir.planned(bin, 100_000, 5), bin, options{Most: 100_000, Rounds: 5})
	for i, s := range all {
		s.Samples = []sample{{CPU: time.Duration(i+1) * time.Second, Peak: 1, Output: int64(i + 1)}}
		s.Instructions = int64(i + 1)
	}
	for _, judged := range targets(all, rendered()) {
		require.NotEqual(t, unmeasured, judged.verdict(), judged.Metric)
	}
	for _, s := range all {
		if s.Tool == toolSidecar {
			require.Less(t, s.Size*mostBytes, 100<<20, "of more manifests, Argo CD accepts none, and the sidecar prints none")
		}
	}
}
