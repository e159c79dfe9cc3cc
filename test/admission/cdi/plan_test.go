package cdi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/broken"
	"github.com/vmrender/vmrender/test/admission/cdi"
	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/product"
)

// edit is a change from one DataVolume to another.
type edit struct {
	about    string
	from, to object.Object
}

// A plan reports a change of a DataVolume as refused if and only if CDI refuses it.
func TestPlan(t *testing.T) {
	webhook, err := cdi.NewWebhook()
	require.NoError(t, err)
	edits := changes(t)
	require.Greater(t, len(edits), 200)
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.json"), filepath.Join(dir, "to.json")
	writeList(t, from, edits, func(e edit) object.Object { return e.from })
	writeList(t, to, edits, func(e edit) object.Object { return e.to })
	levels := product.Build(t).Plan(t, from, to)
	refused := 0
	for _, e := range edits {
		problems := webhook.ChangeProblems(e.from, e.to)
		if len(problems) > 0 {
			refused++
		}
		level := levels["DataVolume "+e.to.Namespace+"/"+e.to.Name]
		require.Equal(t, len(problems) > 0, level == "refused", "%s: a plan says %q, CDI: %q", e.about, level, problems)
	}
	require.NotZero(t, refused)
	require.Less(t, refused, len(edits))
}

// changes returns the changes between any two DataVolumes that CDI accepts.
func changes(t *testing.T) []edit {
	t.Helper()
	good := broken.ReadManifest(t, "testdata/datavolume.yaml")
	variants := []broken.Variant{{Name: "imported"}}
	for _, file := range []string{"testdata/accepted.yaml", "testdata/edits.yaml"} {
		for _, v := range broken.ReadVariants(t, file) {
			variants = append(variants, v)
		}
	}
	var out []edit
	for _, from := range variants {
		for _, to := range variants {
			name := []map[string]any{{"op": "replace", "path": "/metadata/name", "value": fmt.Sprintf("disk-%d", len(out))}}
			out = append(out, edit{from.Name + " -> " + to.Name, patched(t, good, from.Patch, name), patched(t, good, to.Patch, name)})
		}
	}
	return out
}

func patched(t *testing.T, o object.Object, patches ...[]map[string]any) object.Object {
	t.Helper()
	for _, patch := range patches {
		var err error
		o, err = o.Patched(patch)
		require.NoError(t, err)
	}
	return o
}

// writeList writes one side of the edits as a stream of manifests.
func writeList(t *testing.T, path string, edits []edit, side func(edit) object.Object) {
	t.Helper()
	var stream bytes.Buffer
	for _, e := range edits {
		stream.WriteString("---\n")
		stream.Write(side(e).JSON)
		stream.WriteString("\n")
	}
	require.NoError(t, os.WriteFile(path, stream.Bytes(), 0o600))
}
