// Package trials tries edits of VMs that run or are stopped, in clusters that differ, with the version of KubeVirt that it
// is built with.
package trials

import (
	"hash/fnv"
	"slices"
	"strings"

	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/test/impact/judge/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
)

// Clusters are the clusters, by the names that the verdicts use.
var Clusters = []struct {
	Name string
	cluster.Config
}{
	{"plain", cluster.Config{Rollout: live, Methods: migrate, Migratable: true}},
	{"hotplug", cluster.Config{Rollout: live, Methods: migrate, Migratable: true, Gates: plugs}},
	{"legacy", cluster.Config{Rollout: live, Methods: migrate, Migratable: true, Gates: append(plugs[:1:1], cluster.ImperativeHotplug)}},
	{"nad", cluster.Config{Rollout: live, Methods: migrate, Migratable: true, Gates: both}},
	{"by-hand", cluster.Config{Rollout: live, Migratable: true, Gates: both}},
	{"fixed", cluster.Config{Rollout: live, Methods: migrate, Gates: plugs}},
	{"evict", cluster.Config{Rollout: live, Methods: evict, Migratable: true, Gates: plugs}},
	{"evict-move", cluster.Config{Rollout: live, Methods: evict, Eviction: moves, Migratable: true, Gates: both}},
	{"evict-fixed", cluster.Config{Rollout: live, Methods: slices.Concat(migrate, evict), Gates: both}},
	{"stage", cluster.Config{Rollout: v1.VMRolloutStrategyStage, Methods: migrate, Migratable: true, Gates: plugs}},
	{"stage-plain", cluster.Config{Rollout: v1.VMRolloutStrategyStage, Methods: migrate, Migratable: true}},
}

const (
	live  = v1.VMRolloutStrategyLiveUpdate
	moves = v1.EvictionStrategyLiveMigrate
)

var (
	migrate = []v1.WorkloadUpdateMethod{v1.WorkloadUpdateMethodLiveMigrate}
	evict   = []v1.WorkloadUpdateMethod{v1.WorkloadUpdateMethodEvict}
	plugs   = []string{cluster.DeclarativeHotplug}
	both    = []string{cluster.DeclarativeHotplug, cluster.LiveNAD}
)

// Trial is an edit of a VM that runs or is stopped.
type Trial struct {
	edits.Edit

	Running bool
}

func (t Trial) String() string {
	state := "stopped"
	if t.Running {
		state = "running"
	}
	return t.Base + " " + state + " | " + t.Text
}

// Hash returns a number that depends on the text of the trial only.
func (t Trial) Hash() uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(t.String()))
	return hash.Sum32()
}

// In reports whether the trial takes place in a cluster. Every trial takes place in one of the
// clusters, which depends on its hash. Trials of running VMs also take place
// with declarative hotplug and in the clusters that their edit names.
func (t Trial) In(cluster int) bool {
	name := Clusters[cluster].Name
	return cluster == int(t.Hash())%len(Clusters) || t.Running && (name == "hotplug" || slices.Contains(t.Edit.In, name))
}

// All returns the edits of the table, for running and for stopped VMs, and
// all changes of the run strategy.
func All() ([]Trial, error) {
	all, err := edits.All()
	if err != nil {
		return nil, err
	}
	var out []Trial
	for _, edit := range all {
		out = append(out, Trial{edit, true})
		if !strings.Contains(edit.Text, "spec.run") {
			out = append(out, Trial{Stopped(edit), false})
		}
	}
	more, err := strategies()
	return append(out, more...), err
}

// Stopped returns the edit of the same VM when it is halted.
func Stopped(edit edits.Edit) edits.Edit {
	for _, o := range []*edits.Object{&edit.Old, &edit.New} {
		*o = edits.Clone(*o)
		if spec, ok := (*o)["spec"].(edits.Object); ok {
			spec["runStrategy"] = string(v1.RunStrategyHalted)
		}
	}
	return edit
}

// runStrategies are those that every version has.
var runStrategies = []v1.VirtualMachineRunStrategy{
	v1.RunStrategyAlways, v1.RunStrategyRerunOnFailure, v1.RunStrategyManual, v1.RunStrategyOnce, v1.RunStrategyHalted,
}

func strategies() ([]Trial, error) {
	bases, err := edits.Bases()
	if err != nil {
		return nil, err
	}
	var out []Trial
	for _, from := range runStrategies {
		old, err := edits.Apply(bases["limits"], "spec.runStrategy = "+string(from))
		if err != nil {
			return nil, err
		}
		for _, to := range runStrategies {
			text := "spec.runStrategy = " + string(to)
			changed, err := edits.Apply(old, text)
			if err != nil {
				return nil, err
			}
			for _, running := range []bool{true, false} {
				if running && from == v1.RunStrategyHalted || !running && from == v1.RunStrategyAlways {
					continue
				}
				out = append(out, Trial{edits.Edit{Base: "limits from " + string(from), Text: text, Old: old, New: changed}, running})
			}
		}
	}
	return out, nil
}
