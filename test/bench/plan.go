package main

import (
	"path/filepath"
	"strconv"
	"time"
)

// sizes are the sizes of the measured fleets, in virtual machines. Helm is
// measured up to largestForHelm, because it needs minutes for more. The sidecar
// is measured up to largestForSidecar. It renders no larger fleet, because Argo
// CD accepts no more than 100 MiB of manifests.
var sizes = []int{1, 100, 1_000, 10_000, 100_000}

const (
	largestForHelm    = 10_000
	largestForYAML    = 10_000
	largestForSidecar = 10_000
)

// inputs is the directory that contains the inputs of one run.
type inputs string

// fleet returns the root of the fleet of n virtual machines in the given layout.
func (dir inputs) fleet(n int, spread layout) string {
	name := "files"
	if spread == oneFile {
		name = "file"
	}
	return filepath.Join(string(dir), name, strconv.Itoa(n))
}

// values returns the chart's values file with the same virtual machines.
func (dir inputs) values(n int) string {
	return filepath.Join(string(dir), "values-"+strconv.Itoa(n)+".yaml")
}

// write creates the inputs for all sizes up to most.
func (dir inputs) write(most int) error {
	for _, n := range sizes {
		if n > most {
			break
		}
		err := firstError(
			writeFleet(dir.fleet(n, filePerVM), n, filePerVM),
			writeFleet(dir.fleet(n, oneFile), n, oneFile),
		)
		if err == nil && n <= largestForHelm {
			err = writeValues(dir.values(n), n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// helm returns the command that renders n virtual machines with the chart. Helm
// reads nothing outside the directory of inputs.
func (dir inputs) helm(bin tools, n int) command {
	home := filepath.Join(string(dir), "helm-home")
	return command{
		Path: bin.Helm,
		Args: []string{"template", "bench", filepath.Join(string(dir), "chart"), "--values", dir.values(n)},
		Env:  []string{"HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home, "KUBECONFIG="},
	}
}

// vmrender returns the command that renders n virtual machines with the command-line tool.
func (dir inputs) vmrender(bin tools, n int, spread layout, format string) command {
	return command{
		Path: bin.Vmrender,
		Args: []string{"template", dir.fleet(n, spread), "--output", format},
	}
}

// sidecar returns the command that Argo CD runs in its plugin. It runs in the
// Application's directory, which is the root of a repository here.
func (dir inputs) sidecar(bin tools, n int, spread layout) command {
	return command{
		Path: bin.Sidecar,
		Args: []string{"generate"},
		Dir:  dir.fleet(n, spread),
		Env: []string{
			"ARGOCD_APP_NAME=bench", "ARGOCD_APP_NAMESPACE=vms",
			"ARGOCD_APP_SOURCE_PATH=.", "ARGOCD_APP_PARAMETERS=[]",
		},
	}
}

// planned returns the series of rendering fleets of up to most virtual machines.
func (dir inputs) planned(bin tools, most, rounds int) []*series {
	var all []*series
	for _, n := range sizes {
		if n > most {
			break
		}
		add := func(tool string, spread layout, format string, rounds int, call command) {
			all = append(all, &series{Tool: tool, Layout: spread, Format: format, Size: n, Rounds: rounds, Command: call})
		}
		cheap := cheapRounds(rounds, n)
		if n == 1 {
			add(toolEmpty, nothing, "–", cheap, command{Path: bin.Empty})
		}
		if n <= largestForHelm {
			add(toolHelm, oneFile, "yaml", helmRounds(rounds, n), dir.helm(bin, n))
		}
		if n <= largestForYAML {
			add(toolVmrender, filePerVM, "yaml", cheap, dir.vmrender(bin, n, filePerVM, "yaml"))
		}
		for _, spread := range []layout{filePerVM, oneFile} {
			add(toolVmrender, spread, "json", cheap, dir.vmrender(bin, n, spread, "json"))
			if n <= largestForSidecar {
				add(toolSidecar, spread, "json", cheap, dir.sidecar(bin, n, spread))
			}
		}
	}
	return all
}

// slowRounds returns how often a command runs that takes seconds, of which a disturbance is a small part.
func slowRounds(rounds int) int { return min(rounds, 3) }

// helmRounds returns how often Helm runs: its largest fleet takes seconds.
func helmRounds(rounds, n int) int {
	if n > 1_000 {
		return slowRounds(rounds)
	}
	return rounds
}

// cheapRounds returns how often vmrender runs when Helm runs rounds times. Many
// disturbances that hardly affect a run of seconds do affect one of a few
// milliseconds, so small fleets are repeated more often. The largest fleet is
// not needed for a ratio.
func cheapRounds(rounds, n int) int {
	switch {
	case n <= 100:
		return 8 * rounds
	case n <= 1_000:
		return 4 * rounds
	case n <= 10_000:
		return rounds
	default:
		return slowRounds(rounds)
	}
}

// perVM divides a cost by n virtual machines.
func perVM(cost time.Duration, n int) time.Duration {
	return cost / time.Duration(n)
}
