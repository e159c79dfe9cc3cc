package impact_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/test/impact/judge"
	"github.com/vmrender/vmrender/test/impact/judge/trials"
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

// trial is an edit of a VM that runs or is stopped.
type trial = trials.Trial

// configs are the clusters, by the names that the verdicts use.
var configs = trials.Clusters

// cases returns the edits that are asked for.
func cases(t *testing.T) []trial {
	t.Helper()
	all, err := trials.All()
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(c trial) bool { return !strings.Contains(c.String(), *only) })
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

// judges are the judges of the clusters.
var judges trials.Judges

func judgeAll(t *testing.T, cases []trial) [][]*verdict {
	t.Helper()
	out := make([][]*verdict, len(configs))
	for i := range configs {
		out[i] = make([]*verdict, len(cases))
	}
	require.NoError(t, judges.AskAll(cases, func(config, k int, j *judge.Judge) (err error) {
		out[config][k], err = judgeOne(j, cases[k])
		return err
	}))
	return out
}

// judgeOne judges a case.
func judgeOne(j *judge.Judge, c trial) (*verdict, error) {
	v, err := j.Edit(c.Old, c.New, c.Running)
	if err != nil {
		return nil, err
	}
	before, err := j.Live(c.Old, c.Running)
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
	out := trials.Verdicts{}
	for k, c := range cases {
		for i := range configs {
			if all[i][k] != nil {
				out.Add(c, i, all[i][k].String())
			}
		}
	}
	same(t, "verdicts.txt", out.Text(cases, nil))
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
