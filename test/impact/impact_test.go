package impact_test

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/test/impact/cluster"
	"github.com/vmrender/vmrender/test/impact/edits"
	"github.com/vmrender/vmrender/test/impact/judge"
)

var (
	update = flag.Bool("update", false, "rewrite testdata")
	only   = flag.String("only", "", "judge only the cases whose names contain it, and compare no files")
)

// TestMain collects garbage less often than Go does by default, which would take a fifth of
// the CPU time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// configs are the clusters, by the names that the verdicts use.
var configs = []struct {
	name string
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

// trial is an edit of a VM that runs or is stopped.
type trial struct {
	edits.Edit
	running bool
}

func (c trial) String() string {
	state := "stopped"
	if c.running {
		state = "running"
	}
	return c.Base + " " + state + " | " + c.Text
}

// cases returns the edits of the table, for running and for stopped VMs, and
// all changes of the run strategy.
func cases(t *testing.T) []trial {
	t.Helper()
	all, err := edits.All()
	require.NoError(t, err)
	var out []trial
	for _, edit := range all {
		out = append(out, trial{edit, true})
		if !strings.Contains(edit.Text, "spec.run") {
			out = append(out, trial{stopped(edit), false})
		}
	}
	out = append(out, strategies(t)...)
	return slices.DeleteFunc(out, func(c trial) bool { return !strings.Contains(c.String(), *only) })
}

// stopped returns the edit of the same VM when it is halted.
func stopped(edit edits.Edit) edits.Edit {
	for _, o := range []*edits.Object{&edit.Old, &edit.New} {
		*o = edits.Clone(*o)
		if spec, ok := (*o)["spec"].(edits.Object); ok {
			spec["runStrategy"] = string(v1.RunStrategyHalted)
		}
	}
	return edit
}

func strategies(t *testing.T) []trial {
	t.Helper()
	bases, err := edits.Bases()
	require.NoError(t, err)
	all := []v1.VirtualMachineRunStrategy{
		v1.RunStrategyAlways, v1.RunStrategyRerunOnFailure, v1.RunStrategyManual, v1.RunStrategyOnce, v1.RunStrategyHalted,
	}
	var out []trial
	for _, from := range all {
		for _, to := range all {
			for _, running := range []bool{true, false} {
				if running && from == v1.RunStrategyHalted || !running && from == v1.RunStrategyAlways {
					continue
				}
				old, err := edits.Apply(bases["limits"], "spec.runStrategy = "+string(from))
				require.NoError(t, err)
				text := "spec.runStrategy = " + string(to)
				changed, err := edits.Apply(old, text)
				require.NoError(t, err)
				out = append(out, trial{edits.Edit{Base: "limits from " + string(from), Text: text, Old: old, New: changed}, running})
			}
		}
	}
	return out
}

// asked reports whether a case is tried in a cluster. Every case is tried in one of the
// clusters, which depends on a hash of its text. Cases of running VMs are also tried
// with declarative hotplug and in the clusters that their edit names.
func (c trial) asked(config int) bool {
	hash := fnv.New32a()
	hash.Write([]byte(c.String()))
	chosen := int(hash.Sum32()) % len(configs)
	name := configs[config].name
	return config == chosen || c.running && (name == "hotplug" || slices.Contains(c.In, name))
}

// judged has every case with KubeVirt's reactions in the clusters, computed once.
var judged struct {
	sync.Once

	cases    []trial
	verdicts [][]*verdict // by config and case, or nil if it is not tried
}

// verdict is KubeVirt's verdict and the previous content of the cluster.
type verdict struct {
	*judge.Verdict

	live []manifest.Object
}

func verdicts(t *testing.T) ([]trial, [][]*verdict) {
	t.Helper()
	judged.Do(func() {
		judged.cases = cases(t)
		judged.verdicts = judgeAll(t, judged.cases)
	})
	require.NotNil(t, judged.verdicts)
	return judged.cases, judged.verdicts
}

// judgeAll judges every case in its clusters, only two at a time, because each takes memory.
func judgeAll(t *testing.T, cases []trial) [][]*verdict {
	t.Helper()
	out := make([][]*verdict, len(configs))
	var group errgroup.Group
	group.SetLimit(2)
	for i := range configs {
		group.Go(func() (err error) {
			out[i], err = judgeIn(i, cases)
			return err
		})
	}
	require.NoError(t, group.Wait())
	return out
}

// judges are the judges of the clusters, created on first use.
var judges = make([]struct {
	sync.Mutex

	*judge.Judge
}, len(configs))

// ask lets the judge of a cluster decide, one call at a time.
func ask(config int, decide func(*judge.Judge) error) error {
	j := &judges[config]
	j.Lock()
	defer j.Unlock()
	if j.Judge == nil {
		var err error
		if j.Judge, err = judge.New(configs[config].Config); err != nil {
			return err
		}
	}
	return decide(j.Judge)
}

// judgeIn judges the cases of one cluster.
func judgeIn(config int, cases []trial) ([]*verdict, error) {
	out := make([]*verdict, len(cases))
	var problems []error
	for k, c := range cases {
		if !c.asked(config) {
			continue
		}
		err := ask(config, func(j *judge.Judge) (err error) {
			out[k], err = judgeOne(j, c)
			return err
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %s: %w", configs[config].name, c, err))
		}
	}
	return out, errors.Join(problems...)
}

// judgeOne judges a case.
func judgeOne(j *judge.Judge, c trial) (*verdict, error) {
	v, err := j.Edit(c.Old, c.New, c.running)
	if err != nil {
		return nil, err
	}
	before, err := j.Live(c.Old, c.running)
	if err != nil {
		return nil, err
	}
	out := &verdict{Verdict: v}
	for _, o := range before {
		object, err := manifest.New(o)
		if err != nil {
			return nil, err
		}
		out.live = append(out.live, object)
	}
	return out, nil
}

// KubeVirt's reaction to every edit matches testdata/verdicts.txt.
func TestVerdicts(t *testing.T) {
	cases, all := verdicts(t)
	var text strings.Builder
	for k, c := range cases {
		fmt.Fprintln(&text, c)
		for _, group := range grouped(all, k) {
			fmt.Fprintf(&text, "    %s\n", group)
		}
	}
	same(t, "verdicts.txt", text.String())
}

// same compares a text with a file of testdata, or writes the file.
func same(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *only != "" {
		t.Log(text)
		return
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "go test -update rewrites it")
}

// grouped returns the verdicts of a case, each with its clusters.
func grouped(all [][]*verdict, k int) []string {
	var order []string
	names := map[string][]string{}
	for i := range configs {
		if all[i][k] == nil {
			continue
		}
		verdict := all[i][k].String()
		if !slices.Contains(order, verdict) {
			order = append(order, verdict)
		}
		names[verdict] = append(names[verdict], configs[i].name)
	}
	var out []string
	for _, verdict := range order {
		out = append(out, strings.Join(names[verdict], ",")+": "+verdict)
	}
	return out
}
