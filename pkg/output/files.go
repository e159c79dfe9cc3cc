package output

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// Files writes NAMESPACE/NAME.yaml, or .json, for each VM and Job to a directory. It
// creates the directory if needed, which must not be read as a part of the fleet.
//
// It returns the files that may be those of an earlier run. It never deletes them,
// because they may be the user's own.
func Files(dir, fleetRoot string, format manifest.Format, rendered []render.Rendered) (others []string, err error) {
	if fleetRoot != "" && visibleBelow(fleetRoot, dir) {
		return nil, fmt.Errorf("%s lies in the fleet, where manifests would be read as values files; "+
			"choose a directory outside, or a hidden one", dir)
	}
	d, err := OpenDir(dir)
	if err != nil {
		return nil, writing(err)
	}
	defer d.Close()
	written := make(map[string]bool, len(rendered))
	for i := range rendered {
		name := path.Join(rendered[i].Namespace, rendered[i].Name+format.Ext())
		written[name] = true
		var text bytes.Buffer
		if err := Machines(&text, format, rendered[i:i+1]); err != nil {
			return nil, err
		}
		if err := d.Write(name, text.Bytes()); err != nil {
			return nil, writing(err)
		}
	}
	return d.others(dir, written)
}

// visibleBelow reports whether dir is root, or below it and not in a hidden
// directory.
func visibleBelow(root, dir string) bool {
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

// others returns the files with names like those of written files that were not
// written.
func (d *Dir) others(dir string, written map[string]bool) ([]string, error) {
	var others []string
	for _, format := range manifest.Formats() {
		names, err := fs.Glob(d.root.FS(), "*/*"+format.Ext())
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", dir, err)
		}
		for _, name := range names {
			if !written[name] && !strings.HasPrefix(name, ".") {
				others = append(others, filepath.Join(dir, name))
			}
		}
	}
	return others, nil
}
