package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/schema"
)

// starter is the fleet that init writes.
//
//go:embed all:starter
var starter embed.FS

// schemaDir is where a fleet keeps its copy of the schemas, for editors; it is
// hidden, and so no part of the fleet.
const schemaDir = ".vmrender/schema"

func newInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "Write a small fleet to start from",
		Long: `Write a small fleet with comments to DIR, which is made where there is none, and
a copy of the schemas for editors to ` + schemaDir + `. Files that exist are never overwritten.`,
		Example: `  vmrender init site-a && vmrender template site-a`,
		Args:    argsBetween(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			files, err := starterFiles(dir)
			if err != nil {
				return err
			}
			if err := writeNew(dir, files); err != nil {
				return err
			}
			cmd.PrintErrf(`wrote a fleet with two VMs to %[1]s; what next:
  vmrender template %[1]s          # the manifests
  vmrender explain web01 --path %[1]s
  vmrender catalog os              # operating systems that VMs can name
`, dir)
			return nil
		},
	}
}

// file is one file to write, by its path beneath the fleet's root.
type file struct {
	name string
	data []byte
}

// starterFiles are the files of a new fleet, which is named after its directory.
func starterFiles(dir string) ([]file, error) {
	files, err := filesOf(starter, "starter", "")
	if err != nil {
		return nil, err
	}
	name := fleetName(dir)
	for i, f := range files {
		if f.name == "fleet.yaml" {
			files[i].data = []byte(strings.Replace(string(f.data), "name: starter", "name: "+name, 1))
		}
	}
	schemas, err := filesOf(schema.FS, ".", schemaDir)
	return append(files, schemas...), err
}

func filesOf(from fs.FS, dir, into string) ([]file, error) {
	var files []file
	err := fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		rel := strings.TrimPrefix(name, dir+"/")
		files = append(files, file{path.Join(into, rel), data})
		return err
	})
	return files, err
}

// fleetName makes a name of lower case letters, digits and dashes from that of
// a directory. Fleets should differ in their names: identities come from them.
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

// writeNew writes files beneath dir, all of them or, where one exists, none.
func writeNew(dir string, files []file) error {
	root, err := openDir(dir)
	if err != nil {
		return err
	}
	defer closeDir(root)
	var found []string
	for _, f := range files {
		if _, err := root.Lstat(f.name); !errors.Is(err, fs.ErrNotExist) {
			found = append(found, filepath.Join(dir, f.name))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("nothing written, because these exist: %s", strings.Join(found, ", "))
	}
	for _, f := range files {
		if err := writeFile(root, f.name, f.data); err != nil {
			return err
		}
	}
	return nil
}
