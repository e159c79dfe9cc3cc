package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// outputDir is a directory for manifests, one file per machine.
type outputDir struct {
	path   string
	format manifest.Format
	tell   func(format string, args ...any) // says something on stderr
}

// write writes NAMESPACE/NAME.yaml, or .json, for each machine, into the
// directory, which is made where there is none. Files of earlier runs are never
// deleted, because nothing tells them from a user's own; they are named on
// stderr where all machines of the fleet were written.
func (d *outputDir) write(fleetRoot string, rendered []render.Rendered, whole bool) error {
	if fleetRoot != "" && visibleBeneath(fleetRoot, d.path) {
		return fmt.Errorf("%s lies in the fleet, where manifests would be read as values files; choose a directory outside, or a hidden one", d.path)
	}
	root, err := openDir(d.path)
	if err != nil {
		return writing(err)
	}
	defer closeDir(root)
	written := make(map[string]bool, len(rendered))
	for i := range rendered {
		name := path.Join(rendered[i].Namespace, rendered[i].Name+d.extension())
		written[name] = true
		if err := d.writeMachine(root, name, &rendered[i]); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	return d.nameOthers(root, written)
}

func (d *outputDir) writeMachine(root *os.Root, name string, r *render.Rendered) error {
	var text bytes.Buffer
	w := manifest.NewWriter(&text, d.format)
	if _, err := r.Write(w, nil); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return writing(err)
	}
	return writing(writeFile(root, name, text.Bytes()))
}

func (d *outputDir) extension() string {
	if d.format == manifest.JSON {
		return ".json"
	}
	return ".yaml"
}

// visibleBeneath tells whether dir is root, or lies beneath it without a hidden
// directory in between.
func visibleBeneath(root, dir string) bool {
	absRoot, errRoot := filepath.Abs(root)
	absDir, errDir := filepath.Abs(dir)
	if errRoot != nil || errDir != nil {
		return false
	}
	rel, err := filepath.Rel(absRoot, absDir)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return rel == "." || !strings.Contains("/"+filepath.ToSlash(rel), "/.")
}

// openDir makes a directory and confines what follows to it, symbolic links included.
func openDir(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// closeDir lets go of a directory; there is nothing in it that closing could lose.
func closeDir(root *os.Root) { _ = root.Close() }

// writeFile writes a file with the directories above it.
func writeFile(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o644)
}

// nameOthers says which files look like those of an earlier run.
func (d *outputDir) nameOthers(root *os.Root, written map[string]bool) error {
	for _, pattern := range []string{"*/*.yaml", "*/*.json"} {
		names, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return fmt.Errorf("reading %s: %w", d.path, err)
		}
		for _, name := range names {
			if !written[name] && !strings.HasPrefix(name, ".") {
				d.tell("%s: not of this run, left as it is\n", filepath.Join(d.path, name))
			}
		}
	}
	return nil
}
