package examples

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// platform renders a part of a platform.
func platform(t *testing.T, file string, o layers.Options) string {
	t.Helper()
	objects, diags := layers.Render(file, o)
	require.Empty(t, diags.Sorted())
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	for _, object := range objects {
		require.NoError(t, w.Write(object.JSON))
	}
	require.NoError(t, w.Close())
	return out.String()
}

// parts are the rendered parts of the example's platforms, by the name of the layer or of
// the whole.
var parts = map[string]layers.Options{
	"apps": {}, "policies": {Policies: true},
	"catalog": {Layer: "catalog"}, "operators": {Layer: "operators"}, "hyperconverged": {Layer: "hyperconverged"},
	"storage": {Layer: "storage"}, "network": {Layer: "network"}, "alerts": {Layer: "alerts"},
}

// Each cluster of the example renders as Applications and as policies. One of them has
// other layers.
func TestClusters(t *testing.T) {
	for _, cluster := range []string{"paris", "rome"} {
		for _, o := range parts {
			require.NotEmpty(t, platform(t, "clusters/clusters/"+cluster+"/platform.yaml", o))
		}
	}
	oslo := platform(t, "clusters/clusters/oslo/platform.yaml", layers.Options{})
	require.NotContains(t, oslo, "name: oslo-storage\n")
	require.Contains(t, oslo, "name: oslo-governance\n")
	network := platform(t, "clusters/clusters/oslo/platform.yaml", layers.Options{Layer: "network"})
	require.Contains(t, network, `"vlan":2100`)
	require.Contains(t, network, "  nodeSelector:\n    node-role.kubernetes.io/virtualization: \"\"\n---\n")
}

// A cluster is three lines and its vars. 50 clusters on one base differ only in these,
// and only where the base uses them.
func TestFiftyClusters(t *testing.T) {
	const count = 50
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "base"), os.DirFS("clusters/base")))
	// The values are the names of vars, each with its value, which does not occur
	// elsewhere.
	values := func(i int) []string {
		return []string{
			"cluster", fmt.Sprintf("site%02dx", i), "uplink", fmt.Sprintf("ens%02dx", i), "vlan", strconv.Itoa(3000 + i),
		}
	}
	uses := map[string][]string{
		"apps": {"cluster"}, "policies": {"cluster", "uplink", "vlan"}, "network": {"uplink", "vlan"}, "alerts": {"cluster"},
	}
	first := map[string]string{}
	for i := range count {
		v := values(i)
		file := filepath.Join(dir, "clusters", v[1], "platform.yaml")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		text := "apiVersion: vmrender.io/v1alpha1\nkind: Platform\nbase: ../../base/platform.yaml\n" +
			"vars: {cluster: " + v[1] + ", uplink: " + v[3] + ", vlan: " + v[5] + "}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for part, o := range parts {
			if i > 1 && o.Layer != "" {
				continue // the policies contain the objects of all layers
			}
			got := platform(t, file, o)
			for k := 0; k < len(v); k += 2 {
				used := slices.Contains(uses[part], v[k])
				require.Equal(t, used, strings.Contains(got, v[k+1]), "%s of cluster %d, %s", part, i, v[k])
				got = strings.ReplaceAll(got, v[k+1], "<"+v[k]+">")
			}
			if i == 0 {
				first[part] = got
			}
			require.Equal(t, first[part], got, "%s of cluster %d", part, i)
		}
	}
}
