// Command mutate breaks promises of the product, one at a time, and reports
// those whose loss no test notices: "make mutate" runs it. No file of the tree is
// touched. Arguments name the files to mutate, or directories; all if there are none.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutation is a change of one file that tests must notice.
type mutation struct {
	file     string // from the root of the module
	tests    string // directories of packages with a test that must fail, separated by spaces
	why      string // the promise that it breaks
	old, new string // old occurs exactly once
}

func main() {
	root, err := filepath.Abs(".")
	if err == nil {
		err = tryAll(root, chosen(mutations(), os.Args[1:]), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// mutations returns all mutations.
func mutations() []mutation {
	return slices.Concat(argocdMutations, renderedMutations, basisMutations, machineMutations)
}

// chosen returns the mutations of the files, or of files in the directories.
func chosen(all []mutation, paths []string) []mutation {
	if len(paths) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(m mutation) bool {
		return !slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(m.file, path) })
	})
}

// tryAll tries each mutation and writes a line about it. Its error counts those
// that no test noticed or that could not be tried.
func tryAll(root string, all []mutation, out io.Writer) error {
	if len(all) == 0 {
		return errors.New("no such mutation")
	}
	bad := 0
	for _, m := range all {
		verdict := "noticed"
		if err := m.try(root); err != nil {
			bad++
			verdict = strings.ToUpper(err.Error())
		}
		if _, err := fmt.Fprintf(out, "%s: %s: %s\n", verdict, m.file, m.why); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d mutations were not noticed", bad, len(all))
	}
	return nil
}

var (
	errSurvived = errors.New("survived")
	errStale    = errors.New("stale: its text must occur exactly once")
	errInvalid  = errors.New("invalid: it does not compile")
)

// try returns nil if a test fails under the mutation.
func (m *mutation) try(root string) error {
	overlay, err := m.overlay(root)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(overlay)) }() // a directory of its own, for temporary files
	args := append([]string{"test", "-failfast", "-timeout=5m", "-overlay=" + overlay}, strings.Fields(m.tests)...)
	command := exec.Command("go", args...)
	command.Dir = root
	log, err := command.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return errSurvived
	case !errors.As(err, &failed):
		return err
	case bytes.Contains(log, []byte(" failed]\n")): // a build, or its setup
		return errInvalid
	}
	return nil
}

// overlay writes the mutated file, and the file that has the go command read it
// in place of the original, into a new directory.
func (m *mutation) overlay(root string) (string, error) {
	file := filepath.Join(root, filepath.FromSlash(m.file))
	text, err := m.apply(file)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return "", err
	}
	mutated, overlay := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: mutated}})
	return overlay, errors.Join(err, os.WriteFile(mutated, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600))
}

// apply returns the text of the file with the mutation.
func (m *mutation) apply(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if strings.Count(string(text), m.old) != 1 {
		return "", errStale
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}
