package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rendered returns a path in which vmrender costs 1 ms and 60 µs per VM,
// cmp-server 70 µs for the sent data, and repo-server 4 ms and 2 ms per VM. A
// plugin that writes a file costs nothing.
func rendered() realPath {
	dir := inputs("/inputs")
	path := realPath{
		Version: "v3.2.11", Work: "tmpfs",
		Ways: dir.throughWays(10_000, 5), CMPServer: dir.throughCMPServer(10_000, 5), RepoServer: dir.throughRepoServer(5),
	}
	for _, r := range slices.Concat(path.Ways, path.CMPServer, path.RepoServer) {
		sent := r.Size
		if r.Request.Git && r.By == "" {
			sent = estateSize / r.Fleets
		}
		cost := func(each time.Duration, n int) time.Duration { return time.Millisecond + each*time.Duration(n) }
		a := answer{
			Plugin: cost(60*time.Microsecond, r.Size), CMPServer: cost(70*time.Microsecond, sent),
			Peak: 64 << 20, Message: 3_000 * int64(r.Size), Status: 400 * int64(r.Size),
		}
		if r.Request.Git {
			a.RepoServer, a.RepoPeak = 3*time.Millisecond+cost(2*time.Millisecond, r.Size), 128<<20
		}
		if r.Request.Finished != "" {
			a.Plugin = 0
		}
		if r.Request.Native {
			a.Plugin, a.CMPServer, a.Tools = 0, 0, 4*a.RepoServer
		}
		if r.Request.Compare {
			a.Compare = time.Millisecond
		}
		a.Wall = a.all()
		r.Answers = []answer{a}
	}
	path.Refreshed = manyRefreshed(dir)
	return path
}

// manyRefreshed returns refreshes in which each rendered Application costs 100 ms, and another one 10 ms.
func manyRefreshed(dir inputs) []refreshed {
	var all []refreshed
	for _, s := range setups {
		paths := ""
		if s.Annotate {
			paths = "."
		}
		both := dir.throughMany(s, paths, applications)
		for i, r := range both {
			count := applications
			if s.Annotate && i == 1 {
				count = 1
			}
			cost := time.Duration(count)*100*time.Millisecond + time.Duration(applications-count)*10*time.Millisecond
			r.Answers = []answer{{
				Rendered: count, RepoServer: cost, Wall: cost / 2, Peak: 64 << 20, RepoPeak: 128 << 20, Message: 9 << 20,
			}}
		}
		all = append(all, refreshed{s, both[0], both[1]})
	}
	return all
}

func TestShardsAreDirectoriesOfTheEstate(t *testing.T) {
	dir := inputs(t.TempDir())
	for _, spread := range []layout{filePerVM, oneFile} {
		require.NoError(t, dir.writeEstate(1_000, spread))
	}
	for _, s := range shards {
		for spread, perFile := range map[layout]int{filePerVM: 1, oneFile: 100} {
			root := filepath.Join(dir.estate(1_000, spread), s.Path)
			require.Equal(t, s.Size/perFile, filesBeneath(t, root, "vm-*.yaml"), s.Path)
			require.Equal(t, s.Size/1_000, filesBeneath(t, root, "fleet.yaml"), s.Path)
		}
	}
}

// A ratio to the plugin that costs nothing compares what was measured together: here every second round takes twice as
// long, and at last only one of the two. What Argo CD's own programs need more or less with one of them does not count.
func TestTheFloorIsThatOfARound(t *testing.T) {
	path := realPath{Ways: inputs("/inputs").throughWays(1_000, 5)}
	require.True(t, math.IsNaN(path.overFloor(oneFile, 1_000)), "nothing is measured")
	for _, r := range path.Ways {
		r.Answers = make([]answer, r.Rounds)
	}
	plugin, floor := path.way(byPlugin, oneFile, 1_000), path.way(byFile, oneFile, 1_000)
	require.Len(t, plugin.Answers, 5)
	for i, slower := range []time.Duration{1, 2, 1, 2, 1} {
		chance := time.Duration(i-2) * 10 * time.Millisecond
		plugin.Answers[i] = answer{Plugin: slower * 14 * time.Millisecond, RepoServer: slower*96*time.Millisecond + chance}
		floor.Answers[i] = answer{Plugin: slower * 4 * time.Millisecond, CMPServer: slower*96*time.Millisecond - chance}
	}
	plugin.Answers[4].Plugin *= 2
	require.InDelta(t, 1.1, path.overFloor(oneFile, 1_000), 1e-9)
}

func filesBeneath(t *testing.T, root, pattern string) int {
	count := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if matched, _ := filepath.Match(pattern, filepath.Base(path)); matched {
			count++
		}
		return err
	}))
	return count
}

func TestGeneratePathsKeepAFleetOfItsOwnTogether(t *testing.T) {
	for _, r := range inputs("/inputs").throughRepoServer(1) {
		if r.Fleets == r.Applications {
			require.Equal(t, ".", r.Request.Paths)
		} else {
			require.Equal(t, ".;/fleet.yaml", r.Request.Paths)
		}
	}
}

func TestNothingThroughArgoCD(t *testing.T) {
	require.Equal(t, "Not measured in this run.\n", realPath{}.Calls())
	require.Equal(t, "Not measured in this run.\n", realPath{}.Applications())
	require.Equal(t, "Not measured in this run.\n", realPath{}.Many())
}
