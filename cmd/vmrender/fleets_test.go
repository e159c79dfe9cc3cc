package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
)

var (
	fleets = flag.Uint64("fleets", 100, "`number` of generated fleets to check")
	first  = flag.Uint64("first", 1, "`seed` of the first of them")
)

// TestFleets checks generated fleets, about half of which are valid. It shrinks a failing
// fleet to the relevant parts. Each fleet is a separate test, so the trace of a test that
// hangs names it.
func TestFleets(t *testing.T) {
	t.Chdir(t.TempDir())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // small fleets: collecting garbage on other CPUs costs the most
	defer debug.SetGCPercent(debug.SetGCPercent(2000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	valid := 0
	for seed := *first; seed < *first+*fleets; seed++ {
		t.Run(fmt.Sprint("seed-", seed), func(t *testing.T) {
			if requireSound(t, fleetgen.New(seed)) {
				valid++
			}
		})
	}
	fmt.Printf("ok  \t%d generated fleets, %d of them valid\n", *fleets, valid)
	require.InDelta(t, 0.5, float64(valid)/float64(*fleets), 0.2, "valid fleets")
}

// TestFleetsReachEveryKey proves that the valid fleets of the first 4,000 seeds, which
// are rendered, contain every key of the schemas.
func TestFleetsReachEveryKey(t *testing.T) {
	t.Chdir(t.TempDir())
	missing := map[string]bool{}
	for _, key := range fleetgen.Keys() {
		missing[key] = true
	}
	for seed := uint64(1); seed <= 4000 && len(missing) > 0; seed++ {
		f := fleetgen.New(seed)
		keys := map[string]bool{}
		f.Keys(keys)
		if !anyOf(keys, missing) || !renders(t, f) {
			continue
		}
		for key := range keys {
			delete(missing, key)
		}
	}
	require.Empty(t, missing, "give these keys a value, or a part, in internal/fleetgen/values.yaml")
}

func anyOf(keys, missing map[string]bool) bool {
	for key := range keys {
		if missing[key] {
			return true
		}
	}
	return false
}

func renders(t *testing.T, f fleetgen.Fleet) bool {
	t.Helper()
	require.NoError(t, rewrite(f))
	status, _, _ := run(append([]string{"template"}, f.Args...)...)
	return status == statusOK
}

// rewrite replaces the contents of the working directory.
func rewrite(f fleetgen.Fleet) error {
	entries, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return f.Write(".")
}

// requireSound checks a fleet in the working directory and reports whether it is valid.
func requireSound(t *testing.T, f fleetgen.Fleet) bool {
	t.Helper()
	valid, problem := sound(f)
	if problem != nil {
		small := f.Shrink(func(less fleetgen.Fleet) bool {
			_, other := sound(less)
			return other != nil && kind(other) == kind(problem)
		})
		_, problem = sound(small)
		t.Fatalf("%v\n%s", problem, small)
	}
	return valid
}

// kind returns the part of an error before the details.
func kind(err error) string {
	what, _, _ := strings.Cut(err.Error(), ":")
	return what
}

func sound(f fleetgen.Fleet) (valid bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if err := rewrite(f); err != nil {
		return false, err
	}
	return checkFleet(f.Args)
}
