package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each commit of the repository of many Applications changes files that exist, and its second one changes one of them.
func TestTheFilesOfCommitsExist(t *testing.T) {
	const count = 3
	for _, layout := range []tree{fileEach, directoryFile, fleetEach} {
		dir := inputs(t.TempDir())
		root := dir.many(layout)
		require.NoError(t, dir.writeTree(layout, root, count))
		everything, single := layout.files(count)
		for _, name := range append(everything, single) {
			require.FileExists(t, filepath.Join(root, name))
		}
		require.Equal(t, directory(count-1), filepath.Dir(single))
	}
	everything, single := manifestEach.files(count)
	require.Len(t, everything, count*perApplication)
	require.Contains(t, everything, single)
}

func TestDirectoriesOfTheRepository(t *testing.T) {
	vms := map[tree]int{fileEach: perApplication, directoryFile: 1, fleetEach: perApplication + 1}
	for layout, files := range vms {
		dir := inputs(t.TempDir())
		require.NoError(t, dir.writeTree(layout, dir.many(layout), 2))
		for _, path := range directories(2) {
			entries, err := os.ReadDir(filepath.Join(dir.many(layout), path))
			require.NoError(t, err)
			require.Len(t, entries, files, "%s: %s", layout, path)
		}
	}
}

func TestApplicationsFor(t *testing.T) {
	require.Equal(t, 500, applicationsFor(100_000))
	require.Equal(t, 10, applicationsFor(60))
	require.Equal(t, 2, applicationsFor(1))
}
