package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// toDir writes one file per machine into a directory, which is made where there
// is none: NAMESPACE/NAME.yaml, or .json. Files of earlier runs are never
// deleted, because nothing tells them from a user's own; they are named on
// stderr where all machines were written.
func (t *templating) toDir(ctx context.Context, f *fleet.Fleet) error {
	if f.Root != "" && visibleBeneath(f.Root, t.dir) {
		return fmt.Errorf("%s lies in the fleet, where manifests would be read as values files; choose a directory outside, or a hidden one", t.dir)
	}
	root, err := openDir(t.dir)
	if err != nil {
		return writing(err)
	}
	defer closeDir(root)
	written := map[string]bool{}
	var text bytes.Buffer
	problems, err := t.each(ctx, f.Machines, func(m *fleet.Machine, objects [][]byte) error {
		name := path.Join(m.Namespace, m.Name+t.extension())
		written[name] = true
		text.Reset()
		w := manifest.NewWriter(&text, t.format)
		if err := writeAll(w, objects); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return writing(err)
		}
		return writing(writeFile(root, name, text.Bytes()))
	})
	t.diags.Merge(problems)
	if err != nil || !t.whole {
		return err
	}
	return t.nameOthers(root, written)
}

func (t *templating) extension() string {
	if t.format == manifest.JSON {
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
func (t *templating) nameOthers(root *os.Root, written map[string]bool) error {
	for _, pattern := range []string{"*/*.yaml", "*/*.json"} {
		names, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return fmt.Errorf("reading %s: %w", t.dir, err)
		}
		for _, name := range names {
			if !written[name] && !strings.HasPrefix(name, ".") {
				t.tell("%s: not of this run, left as it is\n", filepath.Join(t.dir, name))
			}
		}
	}
	return nil
}
