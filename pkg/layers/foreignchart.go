package layers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// RenderChart renders a third-party chart, in a directory or an archive, as a release
// of a name in a namespace. The values are a JSON object. What the chart depends on must be
// in it, because nothing is fetched.
func RenderChart(at string, values json.RawMessage, release, namespace string) ([]manifest.Object, error) {
	c, err := loader.Load(at)
	if err != nil {
		return nil, fmt.Errorf("loading the chart %s: %w", at, err)
	}
	if err := checkVendored(c); err != nil {
		return nil, fmt.Errorf("chart %s: %w", at, err)
	}
	given := map[string]any{}
	if err := json.Unmarshal(values, &given); err != nil {
		return nil, fmt.Errorf("values of the chart %s: %w", at, err)
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, given); err != nil {
		return nil, fmt.Errorf("chart %s: %w", at, err)
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	full, err := chartutil.ToRenderValues(c, given, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("values of the chart %s: %w", at, err)
	}
	rendered, err := engine.Render(c, full)
	if err != nil {
		return nil, fmt.Errorf("rendering the chart %s: %w", at, err)
	}
	return readRendered(rendered)
}

// readRendered reads the objects of rendered templates.
func readRendered(files map[string]string) ([]manifest.Object, error) {
	var out []manifest.Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Base(name) == "NOTES.txt" || strings.TrimSpace(files[name]) == "" {
			continue
		}
		read, err := manifest.Read(bytes.NewBufferString(files[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, read...)
	}
	return out, nil
}
