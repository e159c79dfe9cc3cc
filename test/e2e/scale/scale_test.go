package scale_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/sizing"
	"github.com/vmrender/vmrender/test/e2e/scale"
)

var (
	sizes = flag.String("sizes", "2x3", "`runs` to measure, separated by commas: APPLICATIONSxVMS, or "+
		"APPLICATIONSxVMSxCLUSTERSxCONTROLLERS; with :unvalidated, Applications have Validate=false")
	write = flag.String("write", "", "`file` for the runs, such as pkg/sizing/measured.json, in the repository")
	limit = flag.Duration("limit", 30*time.Minute, "`duration` after which a phase has failed")
)

// A fleet in several Applications is synced, and so is each later commit: to all of them, or to one. What the
// servers take for that is measured. With the default size, the numbers are small, and only the way to them is
// tested.
func TestScale(t *testing.T) {
	var runs []sizing.Run
	for size := range strings.SplitSeq(*sizes, ",") {
		s, err := parse(size)
		require.NoError(t, err)
		run, err := scale.Measure(t.Context(), prepared, s, *limit, os.Stderr)
		require.NoError(t, err, size)
		check(t, &run)
		runs = append(runs, run)
		if *write != "" { // after each run, because they take hours
			text, err := json.MarshalIndent(runs, "", "\t")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(prepared.Root, *write), append(text, '\n'), 0o644))
		}
	}
}

// check checks that a run has measured something in each phase.
func check(t *testing.T, run *sizing.Run) {
	t.Helper()
	require.Equal(t, 4*run.VMs, run.Objects)
	for _, name := range []string{sizing.First, sizing.All, sizing.Refresh, sizing.One} {
		p := run.Phase(name)
		require.Positive(t, p.Wall, name)
		require.Positive(t, p.CPU[sizing.Controller], name)
		require.Positive(t, p.Peak[sizing.Sidecar], name)
	}
	for _, name := range []string{sizing.First, sizing.All} { // by server-side apply
		require.GreaterOrEqual(t, run.Phase(name).Requests["APPLY"], run.Applications*run.VMs, name)
	}
	require.Less(t, run.Phase(sizing.One).Requests["APPLY"], run.Phase(sizing.All).Requests["APPLY"])
}

// parse reads a size.
func parse(text string) (scale.Scenario, error) {
	numbers := []int{0, 0, 1, 1}
	text, unvalidated := strings.CutSuffix(text, ":unvalidated")
	fields := strings.Split(text, "x")
	err := errors.New("expected two to four numbers")
	if len(fields) >= 2 && len(fields) <= len(numbers) {
		err = nil
		for i, field := range fields {
			var wrong error
			numbers[i], wrong = strconv.Atoi(field)
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		err = fmt.Errorf("-sizes %q: %w", text, err)
	}
	return scale.Scenario{
		Applications: numbers[0], VMs: numbers[1], Clusters: numbers[2], Controllers: numbers[3], Unvalidated: unvalidated,
	}, err
}
