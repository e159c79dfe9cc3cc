package impact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/impact/judge"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
	"github.com/vmrender/vmrender/test/impact/judge/trials"
)

// table returns the table of edits, read once.
var table = sync.OnceValues(edits.All)

// random returns a VM with up to four changes from the table, in one of the clusters.
func random(t testing.TB, seed uint64) (int, trial) {
	t.Helper()
	all, err := table()
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(seed, 0))
	first := all[r.IntN(len(all))]
	var same []edits.Edit
	for _, e := range all {
		if e.Base == first.Base {
			same = append(same, e)
		}
	}
	texts := []string{first.Text}
	changed := first.New
	for range r.IntN(4) {
		text := same[r.IntN(len(same))].Text
		if next, err := edits.Apply(changed, text); err == nil { // it may change a field that is gone
			changed, texts = next, append(texts, text)
		}
	}
	c := trial{
		Edit:    edits.Edit{Base: first.Base, Text: strings.Join(texts, " ; "), Old: first.Old, New: changed},
		Running: r.IntN(4) > 0,
	}
	if !c.Running {
		c.Edit = trials.Stopped(c.Edit)
	}
	return r.IntN(len(configs)), c
}

// checkRandom fails if a plan reports a lower impact than KubeVirt has.
func checkRandom(t testing.TB, seed uint64) {
	t.Helper()
	config, c := random(t, seed)
	var v *verdict
	err := judges.Ask(config, func(j *judge.Judge) (err error) {
		v, err = judgeOne(j, c)
		return err
	})
	if err != nil {
		t.Errorf("seed %d: %s: %s: %v", seed, configs[config].Name, c, err)
		return
	}
	if v.Invalid {
		return
	}
	than := level(t, v.String())
	for how, says := range planned(t, settings(configs[config].Config, newest), c, v.live) {
		if noticed(says.Level) < than && reason(says, than) == "" {
			t.Errorf("seed %d: %s: %s: a plan %s says %s; KubeVirt does: %s", seed, configs[config].Name, c, how, described(says), v)
		}
	}
}

// seeds is the number of random edits.
const seeds = 400

// No combination of changes has more impact than a plan reports.
func TestRandomEdits(t *testing.T) {
	if *only != "" {
		t.Skip("only some cases are asked for")
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			checkRandom(t, seed)
		})
	}
}

func FuzzRandomEdits(f *testing.F) {
	f.Add(uint64(seeds))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}
