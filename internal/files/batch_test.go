//go:build unix

package files

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// killedAt is the variable with the number of the step before which this test program kills itself.
const killedAt = "VMRENDER_TEST_KILLED_AT"

func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(killedAt)); err == nil {
		if err := replaceAll(".", dieAt(at)); err != nil {
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func dieAt(at int) func(string) error {
	return countdown(at, func() error {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err == nil {
			select {}
		}
		return err
	})
}

// countdown returns a function that calls do on its call number at, counted from 0.
func countdown(at int, do func() error) func(string) error {
	return func(string) error {
		if at--; at == -1 {
			return do()
		}
		return nil
	}
}

var oldText, newText = strings.Repeat("old\n", 3000), strings.Repeat("new content\n", 3000)

// testFiles are files to replace, and one to create.
var testFiles = []string{"a.yaml", "sub/b.yaml", "sub/new/c.yaml"}

// replaceAll replaces the first two of the testFiles and creates the last one.
func replaceAll(dir string, step func(string) error) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	b := Batch{step: step}
	defer b.Discard()
	if err := b.Replace(d, testFiles[0], []byte(oldText), []byte(newText)); err != nil {
		return err
	}
	if err := b.Put(d, testFiles[1], []byte(newText)); err != nil {
		return err
	}
	if err := b.Create(d, testFiles[2], []byte(newText)); err != nil {
		return err
	}
	return b.Commit()
}

func prepare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	for _, name := range testFiles[:2] {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(oldText), 0o640))
	}
	return dir
}

// requireWhole checks that each file contains all of its old or its new content. It returns how many are new.
func requireWhole(t *testing.T, dir string) (changed int) {
	t.Helper()
	for i, name := range testFiles {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if i == len(testFiles)-1 && errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		require.True(t, string(text) == oldText || string(text) == newText, name)
		if string(text) == newText {
			changed++
		}
	}
	return changed
}

// leftovers returns the temporary files.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, tempSuffix) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// steps returns the number of steps of a run without errors.
func steps(t *testing.T) int {
	t.Helper()
	n := 0
	dir := prepare(t)
	require.NoError(t, replaceAll(dir, func(string) error { n++; return nil }))
	require.Equal(t, len(testFiles), requireWhole(t, dir))
	return n
}

// A run that is killed at any step leaves each file with its old or its new content. The next run writes all files
// and leaves no temporary files.
func TestKilledAtEveryStep(t *testing.T) {
	for at := range steps(t) {
		dir := prepare(t)
		cmd := exec.Command(os.Args[0])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), killedAt+"="+strconv.Itoa(at))
		err := cmd.Run()
		exit, ok := errors.AsType[*exec.ExitError](err)
		require.True(t, ok, "step %d: %v", at, err)
		require.False(t, exit.Exited(), "step %d: not killed", at)
		requireWhole(t, dir)

		d, err := Open(dir)
		require.NoError(t, err)
		defer d.Close()
		var b Batch
		for _, name := range testFiles {
			require.NoError(t, b.Put(d, name, []byte(newText+"again")))
		}
		require.NoError(t, b.Commit())
		require.Empty(t, leftovers(t, dir), "step %d", at)
	}
}

// An error before the first rename changes nothing, and no error leaves temporary files.
func TestFailsAtEveryStep(t *testing.T) {
	renames := len(testFiles) + 1 // and the last step
	n := steps(t)
	for at := range n {
		dir := prepare(t)
		err := replaceAll(dir, countdown(at, func() error { return syscall.ENOSPC }))
		require.ErrorIs(t, err, syscall.ENOSPC, "step %d", at)
		changed := requireWhole(t, dir)
		require.Equal(t, max(0, at-(n-renames)), changed, "step %d", at)
		require.Empty(t, leftovers(t, dir), "step %d", at)
	}
}

func TestModeIsKept(t *testing.T) {
	dir := prepare(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, testFiles[0]), 0o666)) // most umasks clear some bits of new files
	require.NoError(t, os.Chmod(filepath.Join(dir, testFiles[1]), 0o600))
	require.NoError(t, replaceAll(dir, nil))
	for name, want := range map[string]os.FileMode{testFiles[0]: 0o666, testFiles[1]: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}

// If another program writes a file after it was read, its text stays and none of the other files is changed.
func TestReplaceChecksAllBeforeTheFirst(t *testing.T) {
	dir := prepare(t)
	d, err := Open(dir)
	require.NoError(t, err)
	defer d.Close()
	var b Batch
	require.NoError(t, b.Replace(d, "a.yaml", []byte(oldText), []byte(newText)))
	require.NoError(t, b.Replace(d, "sub/b.yaml", []byte(oldText), []byte(newText)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub/b.yaml"), []byte("saved"), 0o600))
	require.ErrorContains(t, b.Commit(), filepath.Join(dir, "sub/b.yaml")+": changed since it was read")
	b.Discard()
	untouched, err := os.ReadFile(filepath.Join(dir, "a.yaml"))
	require.NoError(t, err)
	require.Equal(t, oldText, string(untouched))
	saved, err := os.ReadFile(filepath.Join(dir, "sub/b.yaml"))
	require.NoError(t, err)
	require.Equal(t, "saved", string(saved))
	require.Empty(t, leftovers(t, dir))

	require.ErrorContains(t, b.Replace(d, "gone.yaml", nil, []byte("x")), "changed since it was read")
}

// Two handles of one directory do not take each other's temporary files for leftovers of a killed run.
func TestTwoHandlesOfOneDirectory(t *testing.T) {
	dir := prepare(t)
	var b Batch
	for _, name := range []string{"a.yaml", "c.yaml"} {
		d, err := Open(dir)
		require.NoError(t, err)
		defer d.Close()
		require.NoError(t, b.Put(d, name, []byte(newText)))
	}
	require.NoError(t, b.Commit())
	require.FileExists(t, filepath.Join(dir, "c.yaml"))
}

func TestCreateOverwritesNothing(t *testing.T) {
	dir := prepare(t)
	d, err := Open(dir)
	require.NoError(t, err)
	defer d.Close()
	var b Batch
	defer b.Discard()
	taken, ok := errors.AsType[*TakenError](b.Create(d, "a.yaml", []byte(newText)))
	require.True(t, ok)
	require.Equal(t, filepath.Join(dir, "a.yaml"), taken.Path)
	require.NoError(t, b.Create(d, "a.yaml", []byte(oldText)))
	require.Zero(t, b.Len())
	require.NoError(t, b.Create(d, "late.yaml", []byte(newText)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "late.yaml"), nil, 0o600))
	require.ErrorContains(t, b.Commit(), "late.yaml: exists, and is not overwritten")
}

// A file that is not regular, or a name that leads out of the directory, is neither opened nor removed.
func TestOnlyRegularFilesOfTheDirectory(t *testing.T) {
	dir := prepare(t)
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "away")))
	require.NoError(t, os.Symlink("sub", filepath.Join(dir, "linked")))
	require.NoError(t, os.Symlink("a.yaml", filepath.Join(dir, "link.yaml")))
	d, err := Open(dir)
	require.NoError(t, err)
	defer d.Close()
	for name, problem := range map[string]string{
		"pipe":              "pipe: not a regular file",
		"sub":               "sub: not a regular file",
		"link.yaml":         "link.yaml: not a regular file",
		"away/outside.yaml": "away: not a directory",
		"linked/b.yaml":     "linked: not a directory",
		"a.yaml/b":          "a.yaml: not a directory",
		"../x":              "not the name of a file",
		"/etc/x":            "not the name of a file",
		".":                 "not the name of a file",
	} {
		var b Batch
		require.ErrorContains(t, b.Put(d, name, nil), problem)
		_, err := d.Remove(name)
		require.ErrorContains(t, err, problem)
	}
	require.FileExists(t, outside)
	removed, err := d.Remove("sub/b.yaml")
	require.NoError(t, err)
	require.True(t, removed)
	require.NoDirExists(t, filepath.Join(dir, "sub"))
	removed, err = d.Remove("sub/b.yaml")
	require.NoError(t, err)
	require.False(t, removed)
}
