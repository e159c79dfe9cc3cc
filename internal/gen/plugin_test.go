package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/argocd/plugin"
)

// pluginSource is the part of an Application that the reference explains.
type pluginSource struct {
	Name       string                                    `json:"name"`
	Parameters []argocd.ApplicationSourcePluginParameter `json:"parameters"`
	Env        []struct{ Name, Value string }            `json:"env"`
}

// The plugin accepts the examples in the parameter reference.
func TestDocumentedParametersAreRead(t *testing.T) {
	text := string(generated(t)["docs/reference/parameters.md"])
	const heading = "```yaml\n# Application, spec.source.plugin\n"
	require.Equal(t, 3, strings.Count(text, heading))
	seen := map[string]bool{}
	for _, block := range strings.Split(text, heading)[1:] {
		block, _, _ = strings.Cut(block, "```")
		var source pluginSource
		require.NoError(t, yaml.UnmarshalStrict([]byte(block), &source), block)
		parameters, err := json.Marshal(source.Parameters)
		require.NoError(t, err)
		environ := []string{"ARGOCD_APP_PARAMETERS=" + string(parameters)}
		for _, env := range source.Env {
			environ = append(environ, "ARGOCD_ENV_"+env.Name+"="+env.Value)
		}
		content := plugin.Fleet
		for _, p := range source.Parameters {
			seen[p.Name] = true
			if p.Name == "layer" {
				content = plugin.Platform
			}
		}
		_, problems := plugin.ReadEnvironment(environ, content)
		require.Empty(t, problems, block)
	}
	for _, p := range plugin.References() {
		require.True(t, seen[p.Name], "no example of %s", p.Name)
	}
}

// All installation methods have the same container, except for its user.
func TestInstallsShareTheContainer(t *testing.T) {
	files := generated(t)
	var containers []string
	for _, name := range []string{
		"plugin/kustomize/repo-server.yaml", "plugin/helm/values.yaml", "plugin/openshift-gitops/argocd.yaml",
	} {
		containers = append(containers, containerIn(string(files[name])))
	}
	require.Contains(t, containers[0], "mountPath: /tmp")
	require.Contains(t, containers[0], "runAsUser: 999")
	require.Equal(t, containers[0], containers[1])
	containers[0] = strings.Join(slices.DeleteFunc(strings.Split(containers[0], "\n"), func(line string) bool {
		return strings.HasPrefix(line, "runAsUser:")
	}), "\n")
	require.Equal(t, containers[0], containers[2])
}

// containerIn returns the text from the container's name to the next key, without indentation.
func containerIn(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "- name: vmrender", len(lines) > 0 && line != "volumes:":
			lines = append(lines, line)
		case len(lines) > 0:
			return strings.Join(lines, "\n")
		}
	}
	return ""
}

func TestHelmCustomizationsAreThoseOfTheConfigMap(t *testing.T) {
	files := generated(t)
	var values struct {
		Configs struct{ CM map[string]string }
	}
	require.NoError(t, yaml.Unmarshal(files["plugin/helm/customizations.yaml"], &values))
	var configMap struct{ Data map[string]string }
	require.NoError(t, yaml.Unmarshal(files["plugin/kustomize/argocd-cm.yaml"], &configMap))
	require.NotEmpty(t, configMap.Data)
	require.Equal(t, configMap.Data, values.Configs.CM)
	for key, value := range values.Configs.CM {
		require.NotContains(t, value, "{{", "%s would be a template of Helm's", key)
	}
}
