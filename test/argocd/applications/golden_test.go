package applications

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const (
	scripts  = "../../../cmd/vmrender/testdata/script"
	examples = "../../../examples/apps"
)

// printed is a manifest and its location.
type printed struct {
	name string
	text []byte
}

// manifests returns all Argo CD manifests in the golden files of the command's tests and in the examples.
func manifests(t *testing.T) []printed {
	t.Helper()
	var all []printed
	archives, err := filepath.Glob(filepath.Join(scripts, "app_*.txtar"))
	require.NoError(t, err)
	for _, file := range archives {
		for _, f := range archive(t, filepath.Base(file)).Files {
			if strings.HasPrefix(string(f.Data), "apiVersion: argoproj.io/") {
				all = append(all, documents(filepath.Base(file)+"/"+f.Name, f.Data)...)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(examples, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, documents(filepath.Base(file), text)...)
	}
	require.Greater(t, len(all), 5)
	return all
}

// documents returns the manifests in a file.
func documents(name string, text []byte) []printed {
	var all []printed
	for i, part := range bytes.Split(text, []byte("\n---\n")) {
		all = append(all, printed{fmt.Sprintf("%s/%d", name, i), append(part, '\n')})
	}
	return all
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join(scripts, name))
	require.NoError(t, err)
	return a
}

// golden returns one file of one of the command's tests.
func golden(t *testing.T, name, file string) []byte {
	t.Helper()
	for _, f := range archive(t, name).Files {
		if f.Name == file {
			return f.Data
		}
	}
	require.Failf(t, "no such file", "%s in %s", file, name)
	return nil
}

// decode fails on any key that the type does not have.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict(text, into))
}

// Argo CD's types have every printed field, and nothing is lost when they
// decode and encode it.
func TestTypes(t *testing.T) {
	kinds := map[string]func() any{
		"Application":    func() any { return new(v1alpha1.Application) },
		"ApplicationSet": func() any { return new(v1alpha1.ApplicationSet) },
		"AppProject":     func() any { return new(v1alpha1.AppProject) },
	}
	for _, m := range manifests(t) {
		t.Run(m.name, func(t *testing.T) {
			var want map[string]any
			require.NoError(t, yaml.Unmarshal(m.text, &want))
			require.Equal(t, "argoproj.io/v1alpha1", want["apiVersion"])
			require.Contains(t, kinds, want["kind"])
			object := kinds[want["kind"].(string)]()
			decode(t, m.text, object)
			again, err := yaml.Marshal(object)
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, yaml.Unmarshal(again, &got))
			require.Empty(t, missing("", want, got))
		})
	}
}

// missing lists the paths of values in want that are not in got.
func missing(path string, want, got any) []string {
	var paths []string
	switch want := want.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key, value := range want {
			paths = append(paths, missing(path+"/"+key, value, have[key])...)
		}
	case []any:
		have, _ := got.([]any)
		for i, value := range want {
			if i >= len(have) {
				return append(paths, path)
			}
			paths = append(paths, missing(path, value, have[i])...)
		}
	default:
		if want != got {
			paths = append(paths, path)
		}
	}
	return paths
}

// A field that Argo CD does not have is reported.
func TestUnknownField(t *testing.T) {
	text := strings.Replace(string(golden(t, "app_application.txtar", "fleet.yaml")), "syncOptions:", "syncOption:", 1)
	require.ErrorContains(t, yaml.UnmarshalStrict([]byte(text), new(v1alpha1.Application)), `unknown field "syncOption"`)
}
