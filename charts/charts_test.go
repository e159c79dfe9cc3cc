package charts_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/charts"
	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

type object = map[string]any

// eachChart runs a test for every embedded chart.
func eachChart(t *testing.T, test func(*testing.T, *chart.Chart)) {
	t.Helper()
	values, err := filepath.Glob("*/values.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, values)
	for _, v := range values {
		name := path.Dir(v)
		t.Run(name, func(t *testing.T) { test(t, embedded(t, name)) })
	}
}

func embedded(t *testing.T, name string) *chart.Chart {
	t.Helper()
	files, err := charts.Files(name)
	require.NoError(t, err)
	var buffered []*loader.BufferedFile
	for _, path := range slices.Sorted(maps.Keys(files)) {
		buffered = append(buffered, &loader.BufferedFile{Name: path, Data: files[path]})
	}
	c, err := loader.LoadFiles(buffered)
	require.NoError(t, err)
	return c
}

// A chart that is embedded has the same files as its directory, in which Helm follows
// the links.
func TestLinks(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		files, err := charts.Files(c.Name())
		require.NoError(t, err)
		onDisk, err := filepath.Glob(c.Name() + "/templates/*")
		require.NoError(t, err)
		for _, file := range onDisk {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(text), string(files["templates/"+path.Base(file)]), file)
		}
	})
}

// render renders like "helm template" and checks values against the schema.
func render(c *chart.Chart, values object) (string, error) { return renderFor(c, values, nil) }

// renderFor renders for a cluster, or for an unknown one.
func renderFor(c *chart.Chart, values object, capabilities *chartutil.Capabilities) (string, error) {
	release := chartutil.ReleaseOptions{
		Name: c.Name(), Namespace: c.Metadata.Annotations[labels.ChartNamespace], Revision: 1, IsInstall: true,
	}
	all, err := chartutil.ToRenderValues(c, values, release, capabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := strings.TrimSpace(files[name]); text != "" && path.Base(name) != "NOTES.txt" {
			fmt.Fprintf(&out, "# Source: %s\n%s\n", name, text)
		}
	}
	return out.String(), nil
}

func readValues(t *testing.T, file string) object {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	values := object{}
	require.NoError(t, yaml.UnmarshalStrict(data, &values), file)
	return values
}

// scenarios returns the values files of a chart's ci directory, by name.
func scenarios(t *testing.T, c *chart.Chart) map[string]object {
	t.Helper()
	files, err := filepath.Glob(c.Name() + "/ci/*-values.yaml")
	require.NoError(t, err)
	found := map[string]object{}
	for _, file := range files {
		found[strings.TrimSuffix(filepath.Base(file), "-values.yaml")] = readValues(t, file)
	}
	require.Contains(t, found, "default", "every chart shows its defaults")
	return found
}

func TestScenarios(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		for name, values := range scenarios(t, c) {
			t.Run(name, func(t *testing.T) {
				got, err := render(c, values)
				require.NoError(t, err)
				checkObjects(t, got)
				golden.Equal(t, path.Join(c.Name(), "testdata", name+".golden.yaml"), got)
			})
		}
	})
}

// The README of each chart shows valid values.
func TestReadmesShowValidValues(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		page, err := os.ReadFile(path.Join(c.Name(), "README.md"))
		require.NoError(t, err)
		docblocks.Rewrite(string(page), func(b docblocks.Block) string {
			var values object
			if b.Lang == "yaml" {
				require.NoError(t, yaml.Unmarshal([]byte(b.Text), &values), b.Text)
			}
			if values["apiVersion"] == nil && b.NotRun == "" { // not an object that users create
				_, err := render(c, values)
				require.NoError(t, err, b.Text)
			}
			return b.Text
		})
	})
}

// The contents of an object may depend on the cluster's Kubernetes version, from which
// charts infer the release of OpenShift.
func TestReleases(t *testing.T) {
	type want struct{ profile, limit, channel, api, odf, oadp string }
	const relieve, node, v1beta1 = "KubeVirtRelieveAndMigrate", "    node: ", "hco.kubevirt.io/v1beta1"
	for version, w := range map[string]want{
		"":             {"- " + relieve, node, `"release-v2.12"`, v1beta1, "4.20", "stable"},
		"v1.20.0":      {"- " + relieve, node, `"release-v2.12"`, v1beta1, "4.20", "stable"},
		"v1.30.7":      {"- Dev" + relieve, "", `"release-v2.10"`, v1beta1, "4.18", "stable-1.4"},
		"v1.31.4":      {"- Dev" + relieve, "", `"release-v2.10"`, v1beta1, "4.18", "stable-1.4"},
		"v1.32.0":      {"- Dev" + relieve, "", `"release-v2.11"`, v1beta1, "4.19", "stable"},
		"v1.33.0":      {"- " + relieve, node, `"release-v2.12"`, v1beta1, "4.20", "stable"},
		"v1.34.1+k8s9": {"- " + relieve, node, `"release-v2.12"`, v1beta1, "4.21", "stable"},
		"v1.35.0":      {"- " + relieve, node, `"release-v2.12"`, v1beta1, "4.22", "stable"},
		"v1.99.0":      {"- " + relieve, node, `"release-v2.12"`, "hco.kubevirt.io/v1", "4.23", "stable"},
	} {
		t.Run(version, func(t *testing.T) {
			caps := chartutil.DefaultCapabilities.Copy()
			if version != "" {
				parsed, err := chartutil.ParseKubeVersion(version)
				require.NoError(t, err)
				caps.KubeVersion = *parsed
			}
			text := func(name string, values object) string {
				out, err := renderFor(embedded(t, name), values, caps)
				require.NoError(t, err)
				return out
			}
			descheduler := text("load-aware", object{})
			require.Contains(t, descheduler, "    "+w.profile+"\n")
			require.Equal(t, w.limit != "", strings.Contains(descheduler, node))
			toolkit := object{"operators": object{"migrationToolkit": object{"enabled": true}}}
			require.Contains(t, text("operators", toolkit), "channel: "+w.channel+"\n")
			on := object{"enabled": true}
			operators := text("operators", object{"operators": object{"odf": on, "lvms": on, "oadp": on}})
			require.Contains(t, operators, `name: "odf-operator"`+"\n  channel: \"stable-"+w.odf+"\"\n")
			require.Contains(t, operators, `name: "lvms-operator"`+"\n  channel: \"stable-"+w.odf+"\"\n")
			require.Contains(t, operators, `name: "redhat-oadp-operator"`+"\n  channel: \""+w.oadp+"\"\n")
			require.Contains(t, text("hyperconverged", object{}), "apiVersion: "+w.api+"\n")
			managed := object{"hyperconverged": object{"manage": true}}
			require.Contains(t, text("higher-density", managed), "apiVersion: "+w.api+"\n")
		})
	}
}

var (
	separator = regexp.MustCompile(`(?m)^---$`)
	comment   = regexp.MustCompile(`(?m)^#.*$`)
)

// checkObjects checks that every object has what Argo CD needs: a unique identity and a wave.
func checkObjects(t *testing.T, rendered string) {
	t.Helper()
	seen := map[string]bool{}
	for _, document := range separator.Split(rendered, -1) {
		var o struct {
			APIVersion, Kind string
			Metadata         struct {
				Name, Namespace string
				Annotations     map[string]string
			}
		}
		require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object{}), document)
		require.NoError(t, yaml.Unmarshal([]byte(document), &o), document)
		if o.Kind == "" {
			require.Empty(t, strings.TrimSpace(comment.ReplaceAllString(document, "")))
			continue
		}
		id := strings.Join([]string{o.APIVersion, o.Kind, o.Metadata.Namespace, o.Metadata.Name}, " ")
		require.False(t, seen[id], "%s is rendered twice", id)
		seen[id] = true
		require.NotEmpty(t, o.Metadata.Name, document)
		require.Regexp(t, `^-?\d+$`, o.Metadata.Annotations[argocd.SyncWaveAnnotation], id)
	}
}

// The notes after an installation name the command that waits for this chart. They are
// not part of the manifests.
func TestNotes(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		release := chartutil.ReleaseOptions{Name: c.Name(), Namespace: "home", Revision: 1, IsInstall: true}
		values, err := chartutil.ToRenderValues(c, object{}, release, nil)
		require.NoError(t, err)
		files, err := engine.Render(c, values)
		require.NoError(t, err)
		notes := files[c.Name()+"/templates/NOTES.txt"]
		require.Contains(t, notes, c.Name()+" "+c.Metadata.Version+": ")
		require.Contains(t, notes, "\n  kubectl ")
		rendered, err := render(c, object{})
		require.NoError(t, err)
		require.NotContains(t, rendered, "Wait before")
	})
}

// Chart.yaml has the metadata that chart catalogs, such as Artifact Hub, show.
func TestMetadata(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		m := c.Metadata
		require.True(t, strings.HasPrefix(m.Icon, "data:image/svg+xml;base64,"))
		require.NotEmpty(t, m.Home)
		require.Equal(t, []string{m.Home + "/tree/main/charts/" + c.Name()}, m.Sources)
		require.Contains(t, m.Keywords, "kubevirt")
		require.NotEmpty(t, m.Maintainers)
		require.NotEmpty(t, m.KubeVersion)
		require.Equal(t, "Apache-2.0", m.Annotations["artifacthub.io/license"])
		require.Equal(t, strconv.FormatBool(strings.HasPrefix(m.Version, "0.")), m.Annotations["artifacthub.io/prerelease"])
		categories := []string{"integration-delivery", "networking", "security", "storage"}
		require.Contains(t, categories, m.Annotations["artifacthub.io/category"])
		var links []struct{ Name, URL string }
		require.NoError(t, yaml.Unmarshal([]byte(m.Annotations["artifacthub.io/links"]), &links))
		require.NotEmpty(t, links)
	})
}

// Each values file in testdata/bad fails with the error in the file next to it.
func TestWrongValuesAreRefused(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		files, err := filepath.Glob(c.Name() + "/testdata/bad/*.yaml")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				_, err := render(c, readValues(t, file))
				require.Error(t, err)
				golden.Equal(t, strings.TrimSuffix(file, "yaml")+"txt", sortedLines(err.Error()))
			})
		}
	})
}

// sortedLines sorts the lines of a message: Helm lists schema errors in no fixed order.
func sortedLines(message string) string {
	lines := slices.Collect(strings.Lines(message + "\n"))
	slices.Sort(lines)
	return strings.TrimSpace(strings.Join(lines, "")) + "\n"
}

// Every key that a scenario sets changes the output: no key is unused, and no template
// reads a key by a name that differs from the schema's.
func TestEveryValueMatters(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		set := map[string]bool{}
		for name, values := range scenarios(t, c) {
			whole, err := render(c, values)
			require.NoError(t, err)
			for _, key := range leaves(values, nil) {
				for i := range key {
					set[strings.Join(key[:i+1], ".")] = true
				}
				without, err := render(c, remove(values, key))
				elsewhere := c.Name()+" "+strings.Join(key, ".") == "node-pools virtualMachines" // hyperconverged follows it
				require.True(t, elsewhere || err != nil || without != whole, "%s of scenario %s changes nothing",
					strings.Join(key, "."), name)
			}
		}
		var schema object
		require.NoError(t, yaml.Unmarshal(c.Schema, &schema))
		for _, key := range described(schema, "") {
			require.True(t, set[key], "no scenario sets %s", key)
		}
	})
}

// Users start from a copy of values.yaml. Helm then removes its null keys and leaves
// empty maps behind.
func TestDefaultsCanBeCopied(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		want, err := render(c, object{})
		require.NoError(t, err)
		got, err := render(c, readValues(t, c.Name()+"/values.yaml"))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// leaves returns the paths of all values in a tree that are not maps with keys.
func leaves(tree object, prefix []string) [][]string {
	var all [][]string
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		place := slices.Concat(prefix, []string{key})
		if inner, ok := tree[key].(object); ok && len(inner) > 0 {
			all = append(all, leaves(inner, place)...)
		} else {
			all = append(all, place)
		}
	}
	return all
}

// remove returns a copy of a tree without the key at a path.
func remove(tree object, key []string) object {
	tree = maps.Clone(tree)
	if len(key) == 1 {
		delete(tree, key[0])
	} else {
		inner, _ := tree[key[0]].(object)
		tree[key[0]] = remove(inner, key[1:])
	}
	return tree
}

// described returns the paths of the keys that a chart's schema lists. It leaves out
// "global" and keys in lists, in maps whose keys users choose, and in maps that can be
// null.
func described(schema object, prefix string) []string {
	var all []string
	properties, _ := schema["properties"].(object)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[key].(object)
		if key == "global" && prefix == "" {
			continue
		}
		all = append(all, prefix+key)
		if inner["type"] == "object" {
			all = append(all, described(inner, prefix+key+".")...)
		}
	}
	return all
}

// impure matches things that rendering must not depend on: the cluster, random data, the
// clock, and whether the chart is already installed, which Argo CD does not report.
var impure = regexp.MustCompile(`\b(` +
	`lookup|rand\w+|uuidv4|gen(CA|PrivateKey|SelfSigned|Signed)\w*|htpasswd|bcrypt|now|getHostByName|` +
	`Is(Install|Upgrade)|Revision|Capabilities\.(API|Helm)\w*)\b`)

func TestTemplatesArePure(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		for _, file := range c.Templates {
			for action := range strings.SplitSeq(string(file.Data), "{{") {
				code, _, _ := strings.Cut(action, "}}")
				if !strings.HasPrefix(strings.TrimLeft(code, "- "), "/*") {
					require.NotRegexp(t, impure, code, file.Name)
				}
			}
		}
	})
}

// The directory is the same chart as the embedded one and has no other files: Helm
// follows the link to the library.
func TestDirectoriesAreCharts(t *testing.T) {
	eachChart(t, func(t *testing.T, c *chart.Chart) {
		dir, err := loader.LoadDir(c.Name())
		require.NoError(t, err)
		require.NoError(t, dir.Validate())
		require.Equal(t, c.Metadata, dir.Metadata)
		require.Equal(t, c.Values, dir.Values)
		require.Equal(t, c.Templates, dir.Templates)
		for _, file := range dir.Files {
			require.Contains(t, []string{".helmignore", "README.md"}, file.Name)
		}
		require.NotEmpty(t, c.Metadata.Annotations[labels.ChartNamespace])
	})
}
