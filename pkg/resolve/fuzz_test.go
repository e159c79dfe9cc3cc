package resolve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// seedFleets calls add with the header and values files of a few fleets, one of which has
// every key. With all files of the repository, a fuzzer would never get beyond those.
func seedFleets(f *testing.F, add func(header, values string)) {
	for _, dir := range []string{"../starter/files", "../../test/admission/product/testdata"} {
		header := ""
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || filepath.Ext(path) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(path)
			if e.Name() == "fleet.yaml" {
				header = string(text)
			}
			add(header, string(text))
			return err
		})
		require.NoError(f, err)
	}
}

// FuzzLoad proves that every header and values file results in either valid VMs or errors
// with positions.
func FuzzLoad(f *testing.F) {
	seedFleets(f, func(header, values string) { f.Add(header, values) })
	f.Add("\xfe\xff", "vms: {a: {}}\n")
	f.Add(fleettest.Header, "vms: {a: &x {vars: {n: 1}, hostname: '{{ .vm.name }}'}, b: *x}\n")
	dir := f.TempDir()
	header, values := filepath.Join(dir, "fleet.yaml"), filepath.Join(dir, "vms.yaml")
	f.Fuzz(func(t *testing.T, headerText, valuesText string) {
		require.NoError(t, os.WriteFile(header, []byte(headerText), 0o600))
		require.NoError(t, os.WriteFile(values, []byte(valuesText), 0o600))
		fl, diags := inventory.Load(dir, fleet.Options{Namespace: "ns", Jobs: 1})
		requireSound(t, fl, diags, map[string]string{header: headerText, values: valuesText, dir: ""})

		fl, diags = inventory.Load("-", fleet.Options{Namespace: "ns", Jobs: 1, Stdin: strings.NewReader(valuesText)})
		requireSound(t, fl, diags, map[string]string{"<stdin>": valuesText})
	})
}

// requireSound requires errors with positions, or well-formed VMs.
func requireSound(t *testing.T, f *inventory.Fleet, diags *source.Diagnostics, files map[string]string) {
	t.Helper()
	for _, d := range diags.Sorted() {
		requirePosition(t, d, files)
	}
	if diags.HasErrors() {
		return
	}
	require.True(t, len(f.Machines) > 0 || f.Header.AllowEmpty, "no VMs and no error")
	names := map[string]bool{}
	for _, m := range f.Machines {
		key := m.Namespace + "/" + m.Name
		require.Empty(t, validation.IsDNS1123Label(m.Name))
		require.Empty(t, validation.IsDNS1123Label(m.Namespace))
		require.False(t, names[key], "%s is there twice", key)
		names[key] = true
		require.NotNil(t, m.OS)
		require.NotEmpty(t, m.Disks)
		require.Equal(t, "root", m.Disks[0].Name)
	}
}

// fileRules are the rules of problems that concern a whole file.
var fileRules = map[rule.ID]bool{"empty-file": true, "file-size": true, "no-vms": true}

func requirePosition(t *testing.T, d source.Diagnostic, files map[string]string) {
	t.Helper()
	text, ok := files[d.File]
	require.True(t, ok, "%s: not a file of the fleet", d)
	require.NotEmpty(t, d.Message)
	require.True(t, utf8.ValidString(d.String()), "%q", d)
	require.NotContains(t, d.Message, "\n")
	if d.Line == 0 {
		require.True(t, fileRules[d.Rule], "%s: no line", d)
		return
	}
	lines := strings.Split(text, "\n")
	require.LessOrEqual(t, d.Line, len(lines), "%s", d)
	require.GreaterOrEqual(t, d.Col, 1, "%s", d)
	require.LessOrEqual(t, d.Col, utf8.RuneCountInString(lines[d.Line-1])+1, "%s", d)
}
