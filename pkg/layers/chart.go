package layers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"

	"github.com/vmrender/vmrender/charts"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// chart is an embedded chart that can be rendered with values.
type chart struct {
	*helmchart.Chart
	defaults   *source.Node // values.yaml
	schema     *jsonschema.Schema
	schemaTree map[string]any // values.schema.json, decoded
}

// openChart loads an embedded chart. An error is a bug in this program.
func openChart(name string) (*chart, error) {
	files, err := charts.Files(name)
	if err != nil {
		return nil, err
	}
	buffered := make([]*loader.BufferedFile, 0, len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		buffered = append(buffered, &loader.BufferedFile{Name: path, Data: files[path]})
	}
	c := new(chart)
	if c.Chart, err = loader.LoadFiles(buffered); err != nil {
		return nil, fmt.Errorf("loading chart %s: %w", name, err)
	}
	if err := c.compileSchema(name); err != nil {
		return nil, fmt.Errorf("reading the schema of chart %s: %w", name, err)
	}
	return c, c.parseDefaults(name)
}

func (c *chart) compileSchema(name string) error {
	if err := json.Unmarshal(c.Schema, &c.schemaTree); err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Schema))
	if err != nil {
		return err
	}
	id := path.Join("/charts", name, "values.schema.json")
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(id, doc); err != nil {
		return err
	}
	c.schema, err = compiler.Compile(id)
	return err
}

// parseDefaults parses values.yaml.
func (c *chart) parseDefaults(name string) error {
	var diags source.Diagnostics
	for _, f := range c.Raw {
		if f.Name == chartutil.ValuesfileName {
			docs := source.Parse(&source.File{Name: name + "/" + f.Name, Data: f.Data}, &diags)
			if diags.HasErrors() {
				return fmt.Errorf("reading the values of chart %s: %v", name, diags.Sorted()[0])
			}
			c.defaults = docs[0]
		}
	}
	return nil
}

// namespace returns the namespace of a layer's objects that do not set one.
func (c *chart) namespace(l *layer) string {
	return cmp.Or(l.Namespace, c.Metadata.Annotations[labels.ChartNamespace], "default")
}

// render renders the chart for a layer, and returns the objects in the order in which
// they are applied.
func (c *chart) render(l *layer, caps *chartutil.Capabilities) ([]manifest.Object, error) {
	values := map[string]any{}
	if l.Values != nil {
		if err := json.Unmarshal(source.AppendJSON(nil, l.Values), &values); err != nil {
			return nil, err
		}
	}
	if err := chartutil.ProcessDependenciesWithMerge(c.Chart, values); err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: l.name, Namespace: c.namespace(l), Revision: 1, IsInstall: true}
	// The values were checked against the schema, without the files that a schema could refer to.
	full, err := chartutil.ToRenderValuesWithSchemaValidation(c.Chart, values, release, caps, true)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c.Chart, full)
	if err != nil {
		return nil, err
	}
	objects, err := c.definitions()
	if err != nil {
		return nil, err
	}
	own, err := readRendered(files)
	if err != nil {
		return nil, err
	}
	objects = append(objects, own...)
	sortByWave(objects)
	return objects, nil
}

// kindOrder returns the position of a kind in Helm's order of installation. Kinds that
// are not in it come last.
func kindOrder(kind string) int {
	if i := slices.Index(releaseutil.InstallOrder, kind); i >= 0 {
		return i
	}
	return len(releaseutil.InstallOrder)
}
