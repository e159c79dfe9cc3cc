package layers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// errLargeChart is the error for a directory that does not look like a chart: Helm would
// read all of it.
var errLargeChart = fmt.Errorf("the files are too large; a chart holds at most %d MiB in all", source.MaxFileSize>>20)

// openDir loads a chart from a directory of the repository. What it depends on must be
// in its directory charts, because nothing is fetched.
func (p *loaded) openDir(dir string) (*chart, error) {
	var files []*loader.BufferedFile
	var size int
	err := p.doc.Walk(dir, func(file string) error {
		data, err := source.ReadFile(file)
		if size += len(data); size > source.MaxFileSize {
			return errLargeChart
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name, err := filepath.Rel(dir, file)
		files = append(files, &loader.BufferedFile{Name: filepath.ToSlash(name), Data: data})
		return err
	})
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	if err != nil {
		return nil, err
	}
	c := new(chart)
	if c.Chart, err = loader.LoadFiles(files); err != nil {
		return nil, err
	}
	if err := checkVendored(c.Chart); err != nil {
		return nil, err
	}
	if c.Schema != nil {
		if err := c.compileSchema(dir); err != nil {
			return nil, fmt.Errorf("values.schema.json: %w", err)
		}
	}
	return c, c.parseDefaults(dir)
}

// checkVendored checks that the charts that a chart depends on are in it.
func checkVendored(c *helmchart.Chart) error {
	if c.Metadata.Type == "library" {
		return errors.New("a library chart renders nothing; expected an application chart")
	}
	for _, d := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(sub *helmchart.Chart) bool { return sub.Name() == d.Name }) {
			return fmt.Errorf("depends on the chart %q, which is not in its directory charts; "+
				"`helm dependency update` puts it there, and it must be committed", d.Name)
		}
	}
	return nil
}

// noLoader refuses references of a schema to other files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("refers to %s; expected references within the schema", url)
}

var _ jsonschema.URLLoader = noLoader{}

// definitions returns the objects of a chart's directory crds, which Helm does not
// render.
func (c *chart) definitions() ([]manifest.Object, error) {
	var out []manifest.Object
	for _, crd := range c.CRDObjects() {
		read, err := manifest.Read(bytes.NewReader(crd.File.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", crd.Filename, err)
		}
		out = append(out, read...)
	}
	return out, nil
}

// renderOwn renders a chart of the repository. It must render the same each time: with
// random data or the clock in it, Argo CD would apply it again and again.
func (c *chart) renderOwn(l *layer, caps *chartutil.Capabilities) ([]manifest.Object, error) {
	first, err := c.render(l, caps)
	if err != nil {
		return nil, err
	}
	second, err := c.render(l, caps)
	if err != nil {
		return nil, err
	}
	for i := range first {
		if i >= len(second) || !bytes.Equal(first[i].JSON, second[i].JSON) {
			return nil, fmt.Errorf("%s is rendered differently each time, with random data or the time in it; "+
				"give the chart a value for what it makes up", first[i].ID)
		}
	}
	return first, nil
}
