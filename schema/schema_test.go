package schema_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/schema"
)

// compile checks that a schema is valid in draft 7, and compiles it.
func compile(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	text, err := schema.FS.ReadFile(kind + ".schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	id, _ := doc.(map[string]any)["$id"].(string)
	require.Equal(t, "https://vmrender.io/schema/v1alpha1/"+kind+".schema.json", id)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(id, doc))
	parts, err := schema.FS.ReadFile("kubernetes.schema.json")
	require.NoError(t, err)
	kubernetes, err := jsonschema.UnmarshalJSON(bytes.NewReader(parts))
	require.NoError(t, err)
	require.NoError(t, c.AddResource("https://vmrender.io/schema/v1alpha1/kubernetes.schema.json", kubernetes))
	s, err := c.Compile(id)
	require.NoError(t, err)
	require.Equal(t, 7, s.DraftVersion)
	return s
}

func decode(t *testing.T, text string) any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err, text)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return doc
}

// The schemas accept every values file in this repository that is meant for users.
func TestExamplesAreValid(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, kind := range []string{"fleet", "overlay", "defaults", "vms", "platform"} {
		schemas[kind] = compile(t, kind)
	}
	seen := map[string]int{}
	for _, root := range []string{"../examples", "../pkg/starter/files"} {
		for _, file := range valuesFiles(t, root) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			for text := range strings.SplitSeq(string(data), "\n---\n") {
				kind := kindOf(file)
				require.NoError(t, schemas[kind].Validate(decode(t, text)), file)
				seen[root+" "+kind]++
			}
		}
	}
	require.Len(t, seen, 8, "each kind of file in each tree: %v", seen)
}

// valuesFiles returns the YAML files of the fleets under a directory.
func valuesFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
			return fs.SkipDir // not part of a fleet; may contain overlays
		}
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".yaml" && inFleet(filepath.Dir(path)) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func inFleet(dir string) bool {
	for ; dir != "." && filepath.Base(dir) != ".."; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "fleet.yaml")); err == nil {
			return true
		}
	}
	return false
}

func kindOf(path string) string {
	if filepath.Base(filepath.Dir(path)) == "env" {
		return "overlay"
	}
	switch filepath.Base(path) {
	case "fleet.yaml":
		return "fleet"
	case "_defaults.yaml":
		return "defaults"
	case "platform.yaml":
		return "platform"
	}
	return "vms"
}

func TestMistakesAreInvalid(t *testing.T) {
	const platform = `apiVersion: vmrender.io/v1alpha1, kind: Platform, metadata: {name: a}`
	for _, c := range []struct{ name, kind, text string }{
		{"unknown key of a VM", "vms", `vms: {a: {memroy: 4Gi}}`},
		{"unknown key of a disk", "vms", `vms: {a: {disks: {data: {sise: 4Gi}}}}`},
		{"unknown key of defaults", "defaults", `defaults: {os: rhel9}`},
		{"unknown action of a layer", "platform", `{` + platform + `, layers: {network: {action: apply}}}`},
		{"unknown key of a layer", "platform", `{` + platform + `, layers: {network: {value: {}}}}`},
		{"unknown key of fleet.yaml", "fleet", `catalogue: {}`},
		{"unknown key of an entry", "fleet", `catalog: {networks: {a: {nad: a/b, mtu: 9000}}}`},
		{"internal key", "vms", `vms: {a: {cpu: {"#vcpus": 4}}}`},
		{"no vms", "vms", `namespace: a`},
		{"bad name of a VM", "vms", `vms: {Web01: {}}`},
		{"long name of a VM", "vms", `vms: {` + strings.Repeat("a", 64) + `: {}}`},
		{"unknown word", "vms", `vms: {a: {runStrategy: Sometimes}}`},
		{"unknown short form", "vms", `vms: {a: {firmware: uefi}}`},
		{"key of overlays", "fleet", `every: {}`},
		{"namespace of a VM", "fleet", `vms: {n/a: {}}`},
		{"unknown key of an overlay", "overlay", `evry: {}`},
		{"two slashes", "overlay", `vms: {n/a/b: {}}`},
		{"namespaces as a list", "overlay", `namespaces: [a]`},
		{"unknown kind of fleet.yaml", "fleet", `kind: Platform`},
		{"number for a string", "vms", `vms: {a: {os: 9}}`},
		{"string for a number", "vms", `vms: {a: {cpu: "4"}}`},
		{"map for a list", "vms", `vms: {a: {nics: {pod: {}}}}`},
		{"list for a map", "vms", `vms: {a: {disks: [data]}}`},
		{"null in a list", "vms", `vms: {a: {nics: [null]}}`},
		{"quantity without a unit", "vms", `vms: {a: {memory: 16}}`},
		{"quantity with a wrong unit", "vms", `vms: {a: {memory: 16GB}}`},
		{"port out of range", "vms", `vms: {a: {services: {http: 65536}}}`},
		{"no virtual CPU", "vms", `vms: {a: {cpu: 0}}`},
		{"percentage over 100", "vms", `vms: {a: {lifecycle: {maxUnavailable: 101%}}}`},
		{"missing key of a list item", "vms", `vms: {a: {nics: [{network: x, routes: [{to: 10.0.0.0/8}]}]}}`},
		{"no address", "fleet", `catalog: {networks: {a: {gateway: router}}}`},
		{"no subnet", "fleet", `catalog: {networks: {a: {cidr: 10.0.0.0}}}`},
		{"VM keys of an operating system", "fleet", `catalog: {os: {a: {defaults: {cpus: 4}}}}`},
		{"cpu of a flavor", "fleet", `catalog: {flavors: {a: {cpu: {dies: 4}}}}`},
		{"Kubernetes' list as a map", "fleet", `placement: {tolerations: {key: a}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Error(t, compile(t, c.kind).Validate(decode(t, c.text)))
		})
	}
}

func TestFormsAreValid(t *testing.T) {
	for _, c := range []struct{ name, kind, text string }{
		{"nulls", "vms", `{
			namespace: null,
			vms: {
				a: {cpu: null, os: null, runStrategy: null, labels: {a: null}, disks: {data: null}, vars: {a: null}},
				b: null,
			},
		}`},
		{"nulls in entries", "fleet", `{
			target: null, catalog: {os: {rhel9: null, a: {image: null}}, images: {a: null}}, vms: {a: null},
		}`},
		{"quantities", "vms", `vms: {a: {
			memory: 1.5Gi, disks: {a: 17179869184, b: "17179869184", c: 512M, d: 1e10, e: {size: .5Ti}},
		}}`},
		{"free values", "vms", `vms: {a: {
			vars: {a: [1, {b: true}]}, overrides: {spec: null}, patches: [{op: add, path: /a, value: null}],
		}}`},
		{"addresses", "vms", `vms: {a: {nics: [
			{network: x, ip: "fd00::5/64", gateway: "fd00::1", routes: [{to: default, via: 10.0.0.1}]},
		]}}`},
		{"percentage", "vms", `vms: {a: {lifecycle: {maxUnavailable: 25%}}}`},
		{"number", "vms", `vms: {a: {lifecycle: {maxUnavailable: 2}}}`},
		{"commands", "vms", `vms: {a: {cloudInit: {runcmd: [ls, [ls, -l]]}}}`},
		{"overlay", "overlay", `{target: {kubevirt: "1.9"}, every: {memory: 4Gi}, vms: {a: {cpu: 2}, n/a: null}}`},
		{"flavors", "fleet", `catalog: {flavors: {a: {cpu: 4, memory: {guest: 4Gi}}, b: {cpu: {cores: 4}, memory: 4Gi}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, compile(t, c.kind).Validate(decode(t, c.text)))
		})
	}
}

// probes are values of all kinds to set for every key.
var probes = []string{"true", "0", "1", "70000", "1.5", "text", `""`, "[]", "[text]", "{}", "{x: text}", "null"}

// stricter matches the values that a schema rejects and the loader accepts: empty strings
// for no value, items without a required key, and half a byte.
var stricter = regexp.MustCompile(`: ""|^\{(` +
	`patches: \[\{|preference: \{name|cpu: \{features: \[\{|nics: \[\{ports: \[\{` +
	`)|hugepages: 1\.5`)

// An editor must accept all values that the loader renders a VM from, and reject all
// values that the loader does not understand.
func TestSchemaAgreesWithLoader(t *testing.T) {
	s := compile(t, "vms")
	keys := 0
	var disagreements []string
	vm := resolve(resolve(s.Properties["vms"]).AdditionalProperties.(*jsonschema.Schema))
	places(vm, func(value string) string { return value }, func(at func(string) string) {
		keys++
		for _, probe := range probes {
			text := "defaults: {namespace: ns, os: fedora, flavor: small}\nvms: {a: " + at(probe) + "}\n"
			invalid := s.Validate(decode(t, text))
			taken, misunderstood := load(text)
			if invalid != nil && taken && !stricter.MatchString(at(probe)) || invalid == nil && misunderstood {
				disagreements = append(disagreements, fmt.Sprintf("%s: by the schema %t", at(probe), invalid == nil))
			}
		}
	})
	require.Empty(t, disagreements)
	require.Greater(t, keys, 100)
}

// load reports whether a values file results in a VM, and whether it contains a value
// that the loader does not understand.
func load(text string) (taken, misunderstood bool) {
	f, diags := inventory.Load("-", fleet.Options{Stdin: strings.NewReader(text)})
	for _, d := range diags.Sorted() {
		switch d.Rule {
		case "wrong-type", "unknown-key", "unknown-value", "out-of-range":
			misunderstood = true
		}
	}
	return len(f.Machines) > 0 && !diags.HasErrors(), misunderstood
}

// places calls visit for every key of a schema, with a function that writes a value for
// it. It skips values in a Kubernetes format, which the loader does not read.
func places(s *jsonschema.Schema, at func(string) string, visit func(at func(string) string)) {
	s = resolve(s)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if strings.Contains(p.Description, "Written as") {
			continue
		}
		below := func(value string) string { return at("{" + name + ": " + value + "}") }
		visit(below)
		places(p, below, visit)
	}
	if entry, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		places(entry, func(value string) string { return at("{x: " + value + "}") }, visit)
	}
	if item, ok := s.Items.(*jsonschema.Schema); ok {
		places(item, func(value string) string { return at("[" + value + "]") }, visit)
	}
}

// resolve follows references and returns the long form of a schema that has a short form.
func resolve(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Ref != nil:
		return resolve(s.Ref)
	case s.Then != nil:
		return resolve(s.Then)
	}
	for _, one := range s.AnyOf {
		if r := resolve(one); r.Properties != nil || r.AdditionalProperties != nil || r.Items != nil {
			return r
		}
	}
	return s
}
