// Package charts contains the Helm charts of the platform layers. Each directory
// is a chart that also works on its own. README.md describes how to write them.
package charts

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// library is the template file that the charts share. In each chart,
// templates/_vmrender.tpl is a symbolic link to it, which Helm follows and go:embed
// leaves out.
const library = "_vmrender.tpl"

//go:embed _vmrender.tpl */Chart.yaml */values.yaml */values.schema.json all:*/templates
var embedded embed.FS

// Files returns the files of a chart that Helm reads, by path in the chart's
// directory: Chart.yaml, values.yaml, values.schema.json and templates.
func Files(chart string) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name, path string) (err error) {
		files[name], err = embedded.ReadFile(path)
		return err
	}
	err := fs.WalkDir(embedded, chart, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(strings.TrimPrefix(path, chart+"/"), path)
	})
	if err == nil {
		err = add("templates/"+library, library)
	}
	if err != nil {
		return nil, fmt.Errorf("reading chart %s: %w", chart, err)
	}
	return files, nil
}
