// Package starter writes a small fleet with comments as a starting point.
package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/schema"
)

//go:embed all:files
var embedded embed.FS

// SchemaDir is the directory of a fleet's copy of the schemas, for editors. It is
// hidden, so it is not read as a part of the fleet.
const SchemaDir = ".vmrender/schema"

// Write writes the fleet, with a copy of the schemas, to a directory, and creates it
// if needed. If one of the files exists, it writes none.
func Write(dir string) error {
	all, err := files(dir)
	if err != nil {
		return err
	}
	d, err := output.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	var found []string
	for _, f := range all {
		if d.Has(f.name) {
			found = append(found, filepath.Join(dir, f.name))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("nothing written, because these exist: %s", strings.Join(found, ", "))
	}
	for _, f := range all {
		if err := d.Write(f.name, f.data); err != nil {
			return err
		}
	}
	return nil
}

// file is a file to write; its name is the path from the fleet's root.
type file struct {
	name string
	data []byte
}

// files returns the files of a new fleet, which is named after its directory.
func files(dir string) ([]file, error) {
	all, err := filesOf(embedded, "files", "")
	if err != nil {
		return nil, err
	}
	for i, f := range all {
		if f.name == "fleet.yaml" {
			all[i].data = []byte(strings.Replace(string(f.data), "name: starter", "name: "+fleetName(dir), 1))
		}
	}
	schemas, err := filesOf(schema.FS, ".", SchemaDir)
	return append(all, schemas...), err
}

func filesOf(from fs.FS, dir, into string) ([]file, error) {
	var all []file
	err := fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		rel := strings.TrimPrefix(name, dir+"/")
		all = append(all, file{path.Join(into, rel), data})
		return err
	})
	return all, err
}

// fleetName returns a name of lower-case letters, digits and dashes for the fleet of
// a directory. Names of fleets should differ, because identities are derived from
// them.
func fleetName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(filepath.Base(abs)))
	name = strings.Trim(name[:min(len(name), 40)], "-")
	if strings.Trim(name, "0123456789-") == "" {
		return strings.Trim("fleet-"+name, "-")
	}
	return name
}
