package layers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"platform/platform.yaml", "both/platform.yaml", "both/fleet.yaml", "fleet/fleet.yaml"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	for _, c := range []struct {
		path    string
		options Options
		want    string
	}{
		{"platform", Options{}, "platform/platform.yaml"},
		{"platform/platform.yaml", Options{}, "platform/platform.yaml"},
		{"missing/platform.yaml", Options{}, "missing/platform.yaml"},
		{"fleet", Options{}, ""},
		{"fleet", Options{Layer: "network"}, ""},
		{"both", Options{}, ""},
		{"both", Options{KubeVersion: "1.33"}, ""},
		{"both", Options{Layer: "network"}, "both/platform.yaml"},
		{"both", Options{Policies: true}, "both/platform.yaml"},
		{"both/platform.yaml", Options{}, "both/platform.yaml"},
		{"missing", Options{Policies: true}, ""},
	} {
		file, ok := c.options.File(c.path)
		require.Equal(t, c.want, file, "%+v", c)
		require.Equal(t, c.want != "", ok)
	}
}

func TestCheckOptions(t *testing.T) {
	require.NoError(t, Options{KubeVersion: "1.33", Layer: "network"}.Check())
	require.EqualError(t, Options{Policies: true, Layer: "network"}.Check(),
		"--as and --layer exclude each other; use one of them")
	require.EqualError(t, Options{KubeVersion: "new"}.Check(), `--kube-version "new"; expected a version such as "1.33"`)
}
