package lua

import (
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Argo CD does not compare what a controller writes into an ignored field, but
// it does compare the fields next to it.
func TestIgnoredFieldsAreNotCompared(t *testing.T) {
	normalizer, err := normalizers.NewIgnoreNormalizer(nil, overrides(t), normalizers.IgnoreNormalizerOpts{})
	require.NoError(t, err)
	for _, k := range readKinds(t) {
		for _, f := range k.Ignore {
			path := pathOf(f.Field)
			beside := append(append([]string{}, path[:len(path)-1]...), "beside")
			live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": k.Group + "/v1", "kind": k.Kind}}
			require.NoError(t, unstructured.SetNestedField(live.Object, "theirs", path...))
			require.NoError(t, unstructured.SetNestedField(live.Object, "ours", beside...))

			require.NoError(t, normalizer.Normalize(live))

			_, found, err := unstructured.NestedFieldNoCopy(live.Object, path...)
			require.NoError(t, err)
			require.False(t, found, "%s %s", k.Kind, f.Field)
			kept, _, err := unstructured.NestedString(live.Object, beside...)
			require.NoError(t, err)
			require.Equal(t, "ours", kept, "%s %s", k.Kind, f.Field)
		}
	}
}

// pathOf splits a JSON pointer.
func pathOf(pointer string) []string {
	var path []string
	for name := range strings.SplitSeq(pointer[1:], "/") {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return path
}
