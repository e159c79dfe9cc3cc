package delivery

import (
	"encoding/json"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/argocd/plugin"
)

func TestApplicationName(t *testing.T) {
	for dir, want := range map[string]string{
		".":             "site",
		"web":           "site-web",
		"prod/web":      "site-prod-web",
		"Prod/Web_1":    "site-prod-web-1",
		"v1.2":          "site-v1.2",
		"_x_/y_":        "site-x--y",
		"größe":         "site-gr--e",
		"___":           "site-",
		"my directory/": "site-my-directory",
	} {
		require.Equal(t, want, applicationName("site", dir))
	}
}

// The plugin can read the parameters that an Application sets.
func TestParametersAreRead(t *testing.T) {
	app := order{parameters: []argocd.ApplicationSourcePluginParameter{
		{Name: "vm", Array: []string{"web01", "prod/db01"}},
		{Name: "overlay", Array: []string{"/stages/test.yaml"}},
		{Name: "defaults", Map: map[string]string{"memory.guest": "4Gi"}},
		{Name: "vars", Map: map[string]string{"a.b": "1=2"}},
	}}.application()
	text, err := json.Marshal(app.Spec.Source.Plugin.Parameters)
	require.NoError(t, err)
	read, errs := plugin.ReadEnvironment([]string{"ARGOCD_APP_PARAMETERS=" + string(text)}, plugin.Fleet)
	require.Empty(t, errs)
	require.Equal(t, plugin.Request{
		Content: plugin.Fleet, VMs: []string{"web01", "prod/db01"}, Overlays: []string{"/stages/test.yaml"},
		Defaults: map[string]string{"memory.guest": "4Gi"}, Vars: map[string]string{"a.b": "1=2"},
	}, read)
}

// Files within the directory itself are not listed separately.
func TestGeneratePaths(t *testing.T) {
	inputs := []string{"site/fleet.yaml", "site/web/stage.yaml", "site/web.yaml"}
	for dir, want := range map[string]string{
		"site/web": ".;/site/fleet.yaml;/site/web.yaml",
		"site":     ".",
		".":        ".",
		"sit":      ".;/site/fleet.yaml;/site/web/stage.yaml;/site/web.yaml",
	} {
		app := order{path: dir, inputs: inputs, generatePaths: true}.application()
		require.Equal(t, want, app.Metadata.Annotations[argocd.GeneratePathsAnnotation])
	}
}

// The patterns of a set match its directories, whatever these are called.
func TestPatterns(t *testing.T) {
	dirs := []string{"fleet/a*b/x", "fleet/a[1]/y", "fleet/[z]"}
	others := []string{"fleet/a*b", "fleet/a[1]", "fleet/docs?"}
	set := order{path: "fleet"}.applicationSet(spread{root: "fleet", directories: dirs, others: others})
	items := set.Spec.Generators[0].Git.Directories
	taken := func(dir string) bool {
		include, exclude := false, false
		for _, item := range items {
			match, err := path.Match(item.Path, dir)
			require.NoError(t, err)
			include, exclude = include || match && !item.Exclude, exclude || match && item.Exclude
		}
		return include && !exclude
	}
	for _, dir := range append(dirs, "fleet/new", "fleet/a*b/new") {
		require.True(t, taken(dir), dir)
	}
	for _, dir := range append(others, "fleet", "other/new", "fleet/acb/x", "fleet/new/deep") {
		require.False(t, taken(dir), dir)
	}
}

// A set at the repository's root, one level deep, needs no template for its paths.
func TestFlatSet(t *testing.T) {
	set := order{name: "site", path: ".", inputs: []string{"fleet.yaml", "_defaults.yaml"}, generatePaths: true}.
		applicationSet(spread{root: ".", directories: []string{"web"}})
	require.Equal(t, ".;/fleet.yaml;/_defaults.yaml",
		set.Spec.Template.Metadata.Annotations[argocd.GeneratePathsAnnotation])
	require.Equal(t, `site-{{ .path.segments | join "-" | normalize }}`, set.Spec.Template.Metadata.Name)
	require.Equal(t, []argocd.GitDirectoryGeneratorItem{{Path: "*"}}, set.Spec.Generators[0].Git.Directories)
}

// Only the set itself contains templates. User input is escaped, and creating a set does
// not change the order.
func TestEscape(t *testing.T) {
	o := order{
		name: "site", project: "{{p}}", repoURL: "{{r}}", revision: "{{v}}", path: ".",
		destination: argocd.ApplicationDestination{Server: "{{s}}"},
		parameters: []argocd.ApplicationSourcePluginParameter{
			{Name: "overlay", Array: []string{"{{o}}"}}, {Name: "vars", Map: map[string]string{"k": "{{m}}"}},
		},
	}
	set := o.applicationSet(spread{
		root: ".", directories: []string{"web"}, overlays: "clusters", clusters: map[string]string{"a": "b"},
	})
	spec := set.Spec.Template.Spec
	require.Equal(t, `{{ "{{" }}p}}`, spec.Project)
	require.Equal(t, `{{ "{{" }}r}}`, spec.Source.RepoURL)
	require.Equal(t, `{{ "{{" }}v}}`, spec.Source.TargetRevision)
	require.Equal(t, []string{`{{ "{{" }}o}}`, "/clusters/{{ .nameNormalized }}.yaml"},
		spec.Source.Plugin.Parameters[0].Array)
	require.Equal(t, map[string]string{"k": `{{ "{{" }}m}}`}, spec.Source.Plugin.Parameters[1].Map)
	require.Equal(t, []string{"{{o}}"}, o.parameters[0].Array)
	require.Equal(t, "{{m}}", o.parameters[1].Map["k"])
}
