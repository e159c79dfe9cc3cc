// Package broken shows that judges can refuse: it breaks a good manifest in one
// way at a time and checks that the right judge reports it.
package broken

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Variant is one way to break a manifest.
type Variant struct {
	Name    string           `json:"name"`
	Patch   []map[string]any `json:"patch"`   // RFC 6902 operations
	Judge   string           `json:"judge"`   // name of the judge that refuses it, or empty if every judge accepts it
	Message string           `json:"message"` // part of the judge's message
}

// ReadManifest reads the good manifest, the only object of the file.
func ReadManifest(t *testing.T, file string) object.Object {
	t.Helper()
	stream, err := os.ReadFile(file)
	require.NoError(t, err)
	objects, err := object.Read(stream)
	require.NoError(t, err)
	require.Len(t, objects, 1, file)
	return objects[0]
}

// ReadVariants reads a list of variants.
func ReadVariants(t *testing.T, file string) []Variant {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var variants []Variant
	require.NoError(t, yaml.UnmarshalStrict(text, &variants))
	require.NotEmpty(t, variants, file)
	return variants
}

// Run breaks the good manifest, which every judge must accept, by each variant
// in turn and checks the answers.
func Run(t *testing.T, good object.Object, judges map[string]object.Judge, variants []Variant) {
	t.Helper()
	requireAccepted(t, good, judges)
	for _, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			broken, err := good.Patched(v.Patch)
			require.NoError(t, err)
			if v.Judge == "" {
				requireAccepted(t, broken, judges)
				return
			}
			require.Contains(t, judges, v.Judge)
			require.NotEmpty(t, v.Message)
			require.Contains(t, strings.Join(judges[v.Judge](broken), "\n"), v.Message)
		})
	}
}

func requireAccepted(t *testing.T, o object.Object, judges map[string]object.Judge) {
	t.Helper()
	for name, judge := range judges {
		require.Empty(t, judge(o), "%s of %s", name, o)
	}
}
