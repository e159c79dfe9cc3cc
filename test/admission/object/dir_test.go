package object_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
)

// ReadDir returns the objects in Lists and Templates, with values for the parameters.
func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"list.yaml": "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: a}}]}",
		"template.yaml": `
apiVersion: template.openshift.io/v1
kind: Template
parameters: [{name: NAME, generate: expression}, {name: COUNT, value: "3"}]
objects: [{apiVersion: v1, kind: Secret, metadata: {name: "x-${NAME}"}, count: "${{COUNT}}", text: "${COUNT}"}]
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	files, err := object.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, "Secret /a", files["list.yaml"][0].String())
	require.Equal(t, "x-generated", files["template.yaml"][0].Name)
	content, err := files["template.yaml"][0].Content()
	require.NoError(t, err)
	require.EqualValues(t, 3, content["count"])
	require.Equal(t, "3", content["text"])

	require.NoError(t, os.WriteFile(filepath.Join(dir, "list.yaml"), []byte("{kind: Secret}"), 0o600))
	_, err = object.ReadDir(dir)
	require.ErrorContains(t, err, "list.yaml: ")
}
