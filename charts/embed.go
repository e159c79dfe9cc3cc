// Package charts contains the Helm charts of the platform layers. Each directory
// is a chart that also works on its own. README.md describes how to write them.
package charts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// library is the template file that the charts share. In each chart,
// templates/_vmrender.tpl is a symbolic link to it, which Helm follows and go:embed
// leaves out.
const library = "_vmrender.tpl"

// linked lists templates that a chart shares with another, in the same way.
var linked = map[string][]string{"protection": {
	"governance/templates/_governance.tpl",
	"governance/templates/_protections.tpl",
	"governance/templates/clusterpolicies.yaml",
	"governance/templates/clusterrolebindings.yaml",
	"governance/templates/clusterroles.yaml",
	"governance/templates/validatingadmissionpolicies.yaml",
	"governance/templates/validatingadmissionpolicybindings.yaml",
}}

//go:embed _vmrender.tpl */Chart.yaml */values.yaml */values.schema.json all:*/templates
var embedded embed.FS

// Files returns the files of a chart that Helm reads, by path in the chart's
// directory: Chart.yaml, values.yaml, values.schema.json and templates.
func Files(chart string) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name, at string) (err error) {
		files[name], err = embedded.ReadFile(at)
		return err
	}
	err := fs.WalkDir(embedded, chart, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(strings.TrimPrefix(at, chart+"/"), at)
	})
	for _, link := range append([]string{library}, linked[chart]...) {
		if err == nil {
			err = add("templates/"+path.Base(link), link)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading chart %s: %w", chart, err)
	}
	return files, nil
}
