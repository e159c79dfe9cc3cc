// Package fleetgen generates random fleets for tests: from a seed, a directory with
// fleet.yaml, _defaults.yaml, values files and overlays, out of the JSON schemas of
// these files and a table of values. About half of the fleets are valid.
package fleetgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"
)

// Secret is part of every password, user data and credential of a fleet. No message
// and no report may contain it.
const Secret = "correct-horse"

const (
	headerFile   = "fleet.yaml"
	defaultsFile = "_defaults.yaml"
	argsFile     = "args"
)

// Fleet is a fleet, as trees and not as text, so that it can shrink.
type Fleet struct {
	// Files are the documents of each file, by its path with slashes.
	Files map[string][]any
	// Flow is whether the files are written as JSON, which is also YAML.
	Flow bool
	// Args are arguments of the command that renders the fleet in its directory.
	Args []string
}

// Text returns the files of the fleet by path. "args" contains the arguments, one a
// line, as in the directories of test/errors.
func (f Fleet) Text() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, documents := range f.Files {
		var parts []string
		for _, d := range documents {
			text, err := f.encode(d)
			if err != nil {
				return nil, fmt.Errorf("encoding %s: %w", name, err)
			}
			parts = append(parts, string(text))
		}
		out[name] = []byte(strings.Join(parts, "---\n"))
	}
	if len(f.Args) > 0 {
		out[argsFile] = []byte(strings.Join(f.Args, "\n") + "\n")
	}
	return out, nil
}

func (f Fleet) encode(document any) ([]byte, error) {
	if !f.Flow {
		return yaml.Marshal(document)
	}
	text, err := json.Marshal(document)
	return append(text, '\n'), err
}

// Write writes the fleet into a directory, which it creates.
func (f Fleet) Write(dir string) error {
	files, err := f.Text()
	if err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// String returns the fleet as a txtar archive, or the reason why it has no text.
func (f Fleet) String() string {
	files, err := f.Text()
	if err != nil {
		return err.Error()
	}
	a := new(txtar.Archive)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: files[name]})
	}
	return string(txtar.Format(a))
}
