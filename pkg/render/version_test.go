package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/versions"
)

// TestVersionIsContent checks that another version of an image changes what is rendered of cattle with every strategy,
// so that it gets a new root disk, and nothing of a pet.
func TestVersionIsContent(t *testing.T) {
	for lifecycle, changes := range map[string]bool{
		"{type: cattle, strategy: blue-green}": true, "{type: cattle, strategy: replace}": true,
		"{type: cattle, strategy: pool}": true, "{type: cattle}": true, "pet": false,
	} {
		replicas := ""
		if strings.Contains(lifecycle, "pool") {
			replicas = "replicas: 2, "
		}
		rendered := func(version string) string {
			return manifests(t, open, "{web: {"+replicas+"lifecycle: "+lifecycle+
				", disks: {root: {size: 9Gi, source: {http: \"https://x/y\", version: \""+version+"\"}}}}}", fleet.Options{})
		}
		require.Equal(t, changes, rendered("1") != rendered("2"), lifecycle)
	}
}

// Every field of a VirtualMachine that not all versions have is an error on a target of the version before the first,
// with both versions, whether overrides or patches set it, and no such error from the first on.
func TestFieldsNeedTheirVersion(t *testing.T) {
	for _, f := range versions.Features() {
		if f.Kind != "VirtualMachine" || f.Since == "" {
			continue
		}
		t.Run(f.Field, func(t *testing.T) {
			minor := versions.Parse(f.Since)[1]
			before := "1." + strconv.Itoa(minor-1)
			want := f.Name + ": needs kubevirt " + f.Since + "; target is " + before
			spec := sample(reflect.TypeFor[kubevirtv1.VirtualMachineSpec](), strings.Split(f.Field, ".")[1:])
			for _, keys := range []string{
				"overrides: {spec: " + spec + "}",
				"patches: [{op: replace, path: /spec, value: " + spec + "}]",
			} {
				require.Contains(t, problemsOn(t, before, keys), want)
				require.NotContains(t, problemsOn(t, f.Since, keys), f.Name+": needs kubevirt")
			}
		})
	}
}

// problemsOn returns the problems of a VM on a target of a version of KubeVirt.
func problemsOn(t *testing.T, version, keys string) string {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{apiVersion: vmrender.io/v1alpha1, kind: Fleet, metadata: {name: f}, target: {kubevirt: "%s"},
		defaults: {namespace: ns, os: fedora, flavor: small}, vms: {a: {%s}}}`, version, keys)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(text), 0o600))
	_, diags := inventory.Visit(dir, fleet.Options{}, render.NewCollector().Visit)
	var all strings.Builder
	for _, d := range diags.Sorted() {
		all.WriteString(d.String() + "\n")
	}
	return all.String()
}

// sample returns YAML of a type with a value at a path.
func sample(of reflect.Type, path []string) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of.Kind() == reflect.Slice:
		return "[" + sample(of.Elem(), path) + "]"
	case len(path) > 0:
		key := strings.TrimSuffix(path[0], "[]")
		return "{" + key + ": " + sample(fieldOf(of, key), path[1:]) + "}"
	case of == reflect.TypeFor[resource.Quantity]():
		return "1Gi"
	case of.Kind() == reflect.Struct, of.Kind() == reflect.Map:
		return "{}"
	case of.Kind() == reflect.Bool:
		return "true"
	case of.Kind() == reflect.String:
		return "x"
	}
	return "1"
}

// fieldOf returns the type of the field of a struct with a key, which can be in a struct that it embeds.
func fieldOf(of reflect.Type, key string) reflect.Type {
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == key {
			return f.Type
		}
	}
	panic("no field " + key + " in " + of.String())
}
