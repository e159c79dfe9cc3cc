package object_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
)

const stream = `---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: lab}
spec: {replicas: 3, share: 0.5}
---
# only a comment
---
apiVersion: v1
kind: Secret
metadata: {name: b, namespace: lab}
`

func TestReadKeepsOrderAndLeavesOutEmptyDocuments(t *testing.T) {
	objects, err := object.Read([]byte(stream))
	require.NoError(t, err)
	require.Len(t, objects, 2)
	require.Equal(t, "VirtualMachine lab/a", objects[0].String())
	require.Equal(t, "Secret lab/b", objects[1].String())
	require.Equal(t, objects[1:], object.OfKind(objects, "Secret"))
}

func TestReadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ stream, message string }{
		"a key twice": {"apiVersion: v1\nkind: A\nkind: B\n", `key "kind" already set`},
		"no kind":     {"apiVersion: v1\nmetadata: {name: x}\n", `object "x" has no apiVersion or no kind`},
		"broken YAML": {"a: [", "reading document 1"},
		"not a map":   {"- 1\n", "reading object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := object.Read([]byte(tc.stream))
			require.ErrorContains(t, err, tc.message)
		})
	}
}

// Kubernetes' validation expects integers as int64, but encoding/json would return float64.
func TestContentKeepsIntegers(t *testing.T) {
	objects, err := object.Read([]byte(stream))
	require.NoError(t, err)
	content, err := objects[0].Content()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"replicas": int64(3), "share": 0.5}, content["spec"])
}

func TestPatched(t *testing.T) {
	objects, err := object.Read([]byte(stream))
	require.NoError(t, err)

	patched, err := objects[0].Patched([]map[string]any{{"op": "replace", "path": "/metadata/name", "value": "c"}})
	require.NoError(t, err)
	require.Equal(t, "VirtualMachine lab/c", patched.String())
	require.Equal(t, "VirtualMachine lab/a", objects[0].String())

	_, err = objects[0].Patched([]map[string]any{{"op": "remove", "path": "/spec/none"}})
	require.ErrorContains(t, err, "VirtualMachine lab/a: patching")
}

func TestJudgeAllReportsInOrder(t *testing.T) {
	objects, err := object.Read([]byte(strings.Repeat(stream, 20)))
	require.NoError(t, err)
	noSecrets := func(o object.Object) []string {
		if o.Kind == "Secret" {
			return []string{"no secrets", "none at all"}
		}
		return nil
	}
	problems := object.JudgeAll(objects, noSecrets)
	require.Len(t, problems, 40)
	require.Equal(t, []string{"Secret lab/b: no secrets", "Secret lab/b: none at all"}, problems[:2])
}
