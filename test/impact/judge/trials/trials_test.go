package trials_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/impact/judge"
	"github.com/vmrender/vmrender/test/impact/judge/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/trials"
)

// newest is the version of KubeVirt whose verdicts testdata contains in full, and test/impact compares with them.
const newest = "1.8.4"

const testdata = "../../testdata"

var (
	update = flag.Bool("update", false, "rewrite testdata")
	sample = flag.Uint("sample", 1, "try only one trial in this many")
)

// TestMain collects garbage less often than Go does by default, which would take a fifth of
// the CPU time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// An older version of KubeVirt decides as testdata/VERSION/verdicts.txt says, and otherwise as the newest one does.
func TestVersion(t *testing.T) {
	version := cluster.Version()
	if version == newest {
		t.Skip("test/impact compares all of them")
	}
	all, err := trials.All()
	require.NoError(t, err)
	all = slices.DeleteFunc(all, func(trial trials.Trial) bool { return trial.Hash()%uint32(*sample) != 0 })
	decided := decide(t, all)
	known, err := trials.Read(filepath.Join(testdata, "verdicts.txt"))
	require.NoError(t, err)
	decided.Settle(known)
	path := filepath.Join(testdata, version, "verdicts.txt")
	if *update {
		require.Equal(t, uint(1), *sample, "-update needs all trials")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(decided.Text(all, known)), 0o644))
		return
	}
	recorded, err := trials.Read(path)
	require.NoError(t, err)
	require.Equal(t, recorded.Text(all, nil), decided.Text(all, known), "go test -update rewrites it")
}

func decide(t *testing.T, all []trials.Trial) trials.Verdicts {
	t.Helper()
	var judges trials.Judges
	var lock sync.Mutex
	out := trials.Verdicts{}
	require.NoError(t, judges.AskAll(all, func(cluster, k int, j *judge.Judge) error {
		v, err := j.Edit(all[k].Old, all[k].New, all[k].Running)
		if err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		text := v.String()
		if v.Invalid { // which no plan is compared with
			text = (&judge.Verdict{Refused: "KubeVirt", Invalid: true}).String()
		}
		out.Add(all[k], cluster, text)
		return nil
	}))
	return out
}
