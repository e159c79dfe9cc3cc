package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/upgrade"
	"github.com/vmrender/vmrender/pkg/versions"
)

//go:embed compatibility.md.tmpl
var compatibilityTemplate string

// component is software of others that the tests run, or that the product is built with: its version is that of a
// module in a go.mod file.
type component struct{ name, mod, module, use string }

var components = []component{
	{
		"Argo CD", "test/argocd/go.mod", "github.com/argoproj/argo-cd/v3",
		"its repo-server, cmp-server, application and ApplicationSet controllers, Lua engine and types run in tests",
	},
	{
		"KubeVirt, types", "go.mod", "kubevirt.io/api",
		"manifests are built from them: a field that they do not have cannot be rendered",
	},
	{
		"KubeVirt, code", "test/admission/kubevirt/go.mod", "kubevirt.io/kubevirt",
		"its webhooks and its controllers of VMs and pools run in tests",
	},
	{"CDI, types", "go.mod", "kubevirt.io/containerized-data-importer-api", "DataVolumes are built from them"},
	{
		"CDI, code", "test/admission/cdi/go.mod", "kubevirt.io/containerized-data-importer",
		"its webhook of DataVolumes runs in tests",
	},
	{
		"Kubernetes", "test/e2e/controlplane/go.mod", "k8s.io/kubernetes",
		"its API server and controller manager run in the end-to-end tests",
	},
	{"Helm", "go.mod", "helm.sh/helm/v3", "its engine renders the charts of the layers"},
}

// releasesFile is where the end-to-end tests list the releases of OpenShift whose operators they simulate.
const releasesFile = "test/e2e/openshift/release.go"

var openShiftRelease = lazyregexp.New(`"(4\.[0-9]+)", "v1\.`)

// compatibilityReference returns docs/reference/compatibility.md, from the go.mod files and pkg/upgrade.
func compatibilityReference() ([]byte, error) {
	rows := make([][]string, len(components), len(components)+1)
	for i, c := range components {
		version, err := c.version()
		if err != nil {
			return nil, err
		}
		rows[i] = []string{c.name, version, c.use}
	}
	judges, err := judgesOfEdits()
	if err != nil {
		return nil, err
	}
	const compared = "plans are compared with what its webhooks and controllers do"
	rows = append(rows, []string{"KubeVirt, changes", judges, compared})
	text, err := os.ReadFile(releasesFile)
	if err != nil {
		return nil, err
	}
	var releases []string
	for _, m := range openShiftRelease().FindAllStringSubmatch(string(text), -1) {
		releases = append(releases, m[1])
	}
	if len(releases) == 0 {
		return nil, fmt.Errorf("%s: no releases of OpenShift", releasesFile)
	}
	return execute("compatibility.md", compatibilityTemplate, map[string]any{
		"Components": rows, "Products": table(upgrade.Products(), productCells), "Releases": strings.Join(releases, ", "),
	})
}

// judgesOfEdits returns the versions of KubeVirt that test/impact compares plans with, oldest first, such as
// "v1.7.0, v1.8.4".
func judgesOfEdits() (string, error) {
	mods, err := filepath.Glob("test/impact/judge/kubevirt/*/v*.mod")
	if err != nil {
		return "", err
	}
	var out []string
	for _, mod := range append(mods, "test/impact/judge/go.mod") {
		version, err := component{mod: mod, module: "kubevirt.io/kubevirt"}.version()
		if err != nil {
			return "", err
		}
		out = append(out, version)
	}
	slices.SortFunc(out, func(a, b string) int {
		x, y := versions.Parse(a), versions.Parse(b)
		return slices.Compare(x[:], y[:])
	})
	return strings.Join(out, ", "), nil
}

// version returns the version of the component's module, such as "v1.9.0".
func (c component) version() (string, error) {
	text, err := os.ReadFile(c.mod)
	if err != nil {
		return "", err
	}
	line := regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(c.module) + ` (v\S+)`).FindSubmatch(text)
	if line == nil {
		return "", fmt.Errorf("%s: no module %s", c.mod, c.module)
	}
	return string(line[1]), nil
}
