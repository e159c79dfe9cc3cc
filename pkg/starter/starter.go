// Package starter writes a small fleet with comments as a starting point.
package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/schema"
)

//go:embed all:files
var embedded embed.FS

// SchemaDir is the directory of a fleet's copy of the schemas, for editors. It is
// hidden, so it is not read as a part of the fleet.
const SchemaDir = ".vmrender/schema"

// headerName is the file that makes a directory a fleet.
const headerName = "fleet.yaml"

// exampleTarget is the comment in fleet.yaml in whose place a target is set.
const exampleTarget = `# target: {kubevirt: "1.6", argocd: "3.2", openshift: false}`

// Options select what is written.
type Options struct {
	// PlainKubernetes is true for a cluster that is not OpenShift.
	PlainKubernetes bool
}

// Write writes the fleet, with a copy of the schemas, to a directory, and creates it
// if needed. If one of the files exists with other content, or the directory is a
// fleet, a platform or a part of a fleet, it writes none. A run that was stopped can
// be repeated: fleet.yaml is the last file.
func Write(dir string, o Options) error {
	if err := checkPlace(dir); err != nil {
		return err
	}
	all, err := contents(dir, o)
	if err != nil {
		return err
	}
	return files.WriteNew(dir, all)
}

// WriteSchemas writes the schemas to the fleet or platform in a directory, over those
// of another release, with the names of the fleet's catalogs: one for each environment, none
// for a platform. It returns how many files it changed.
func WriteSchemas(dir string, catalogs ...*catalog.Set) (int, error) {
	if !exists(filepath.Join(dir, headerName)) && !exists(filepath.Join(dir, platformName)) {
		return 0, fmt.Errorf("%s: no %s or %s here; expected the root of a fleet or a platform",
			dir, headerName, platformName)
	}
	schemas, err := filesOf(schema.FS, ".", SchemaDir)
	if err != nil {
		return 0, err
	}
	d, err := files.Open(dir)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	var b files.Batch
	defer b.Discard()
	for _, f := range schemas {
		data, err := withNames(f.Data, catalogs)
		if err != nil {
			return 0, err
		}
		if err := b.Put(d, f.Name, data); err != nil {
			return 0, err
		}
	}
	n := b.Len()
	return n, b.Commit()
}

// contents returns the files of a new fleet, which is named after its directory, with
// fleet.yaml last.
func contents(dir string, o Options) ([]files.File, error) {
	all, err := filesOf(embedded, "files", "")
	if err != nil {
		return nil, err
	}
	schemas, err := filesOf(schema.FS, ".", SchemaDir)
	all = append(schemas, all...)
	i := slices.IndexFunc(all, func(f files.File) bool { return f.Name == headerName })
	header := all[i]
	text := strings.Replace(string(header.Data), "name: starter", "name: "+FleetName(dir), 1)
	if o.PlainKubernetes {
		text = strings.Replace(text, exampleTarget, "target: {openshift: false}", 1)
	}
	header.Data = []byte(text)
	return append(slices.Delete(all, i, i+1), header), err
}

func filesOf(from fs.FS, dir, into string) ([]files.File, error) {
	var all []files.File
	err := fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		rel := strings.TrimPrefix(name, dir+"/")
		all = append(all, files.File{Name: path.Join(into, rel), Data: data})
		return err
	})
	return all, err
}

// FleetName returns a name of lower-case letters, digits and dashes for the fleet of
// a directory. Names of fleets should differ, because identities are derived from
// them.
func FleetName(dir string) string {
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
