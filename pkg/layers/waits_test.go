package layers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/layers"
)

// automated returns the names of the layers whose Applications sync by themselves.
func automated(t *testing.T, text string) (names []string, warnings string) {
	t.Helper()
	file := write(t, "source: {repoURL: https://git.example.com/p.git}\n"+text)
	apps, diags := layers.RenderApps(file, layers.Options{})
	require.False(t, diags.HasErrors(), problems(diags, ""))
	for _, o := range apps {
		if o.Kind == "Application" && strings.Contains(string(o.JSON), `"automated"`) {
			names = append(names, strings.TrimPrefix(o.Name, "p-"))
		}
	}
	return names, problems(diags, "")
}

// TestWaitsForObjects checks that a layer that needs an object of a layer that waits for a user waits, too: nothing
// else would keep Argo CD from applying it.
func TestWaitsForObjects(t *testing.T) {
	const operators = "layers:\n  operators: {}\n"
	const network = operators + `  network: {%, values: {networks: {migration: {
    namespace: openshift-cnv, type: bridge, bridge: br1, ipam: {type: whereabouts}}}}}
  hyperconverged: {values: {virtualization: {liveMigrationConfig: {network: migration}}}}
`
	const catalog = `layers:
  catalog: {%, values: {sources: {mine: {image: quay.io/x/y:1}}}}
  operators: {values: {catalog: {source: mine}}}
`
	const own = `layers:
  storage: {%}
  mine: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}], needs: [storage]}
`
	const waiting = "openshift-cnv/migration of the layer"
	for name, c := range map[string]struct{ text, with, want, said string }{
		"network applied":      {network, "action: Apply", "operators network hyperconverged", ""},
		"network in a dry run": {network, "action: DryRun", "operators", waiting},
		"network paused":       {network, "action: Ignore", "operators", waiting},
		"network is there": {
			network, "action: DryRun, provides: [k8s.cni.cncf.io]", "operators hyperconverged", "",
		},
		"catalog in a dry run":    {catalog, "action: DryRun", "", "CatalogSource/openshift-marketplace/mine of the layer"},
		"catalog applied":         {catalog, "action: Apply", "catalog operators", ""},
		"a layer in a dry run":    {own, "action: DryRun", "", `it needs the layer "storage"`},
		"a layer that is applied": {own, "action: Apply", "storage mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			names, said := automated(t, strings.Replace(c.text, "%", c.with, 1))
			require.ElementsMatch(t, strings.Fields(c.want), names)
			if c.said == "" {
				require.NotContains(t, said, "without a user")
			} else {
				require.Contains(t, said, c.said)
			}
		})
	}
}

// TestPausedChangesNothing checks that a layer that is paused, or left to others, does not take its value out of
// another layer, and that one in a dry run shows the whole change without making any.
func TestPausedChangesNothing(t *testing.T) {
	const path = "layers.hyperconverged.values.virtualization.higherWorkloadDensity.memoryOvercommitPercentage: missing"
	for _, paused := range []string{"action: Ignore", "mode: unmanaged"} {
		file := write(t, "layers: {hyperconverged: {}, higher-density: {"+paused+"}}\n")
		_, diags := layers.RenderLayer(file, "hyperconverged", layers.Options{})
		require.Contains(t, problems(diags, ""), path)
		said := write(t, "layers: {hyperconverged: {values: {virtualization: {higherWorkloadDensity: "+
			"{memoryOvercommitPercentage: 120}, ksmConfiguration: {nodeLabelSelector: {}}}}},\n"+
			"higher-density: {"+paused+"}}\n")
		objects, diags := layers.RenderLayer(said, "hyperconverged", layers.Options{})
		require.Empty(t, problems(diags, ""))
		require.Contains(t, yaml(t, objects), "memoryOvercommitPercentage: 120")
	}

	const dry = "layers: {operators: {}, hyperconverged: {}, higher-density: {action: DryRun}}\n"
	objects, _ := layers.RenderLayer(write(t, dry), "hyperconverged", layers.Options{})
	require.Contains(t, yaml(t, objects), "memoryOvercommitPercentage: 150", "the whole change is shown")
	names, said := automated(t, dry)
	require.Equal(t, []string{"operators"}, names)
	require.Contains(t, said, `it gets a value of the layer "higher-density"`)
}

// TestNeeds checks what a layer can say that it needs and provides.
func TestNeeds(t *testing.T) {
	const site = "source: {repoURL: https://git.example.com/p.git}\n"
	const cluster = "objects: [{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, " +
		"metadata: {name: s, namespace: storage}}]"
	for text, want := range map[string]string{
		"layers: {a: {" + cluster + "}}": "",
		"layers: {a: {objects: [{apiVersion: x.example.com/v1, kind: Thing, metadata: {name: s}}]}}": "warning: layers.a: " +
			"no layer of the platform is known to provide x.example.com/Thing, and this layer waits for it; " +
			"list it under `provides`",
		"layers: {storage: {provides: [x.example.com]}, a: {wave: 9, objects: [{apiVersion: x.example.com/v1, " +
			"kind: Thing, metadata: {name: s}}]}}": "",
		"layers: {storage: {needs: [nothing]}}":   `layers.storage.needs[0]: no layer of the name "nothing"`,
		"layers: {storage: {needs: [storage]}}":   "layers.storage.needs[0]: a layer cannot need itself",
		"layers: {storage: {needs: [a/b/c/d/e]}}": `layers.storage.needs[0]: "a/b/c/d/e": expected the name of a layer`,
		"layers: {storage: {needs: [images], wave: 1}, images: {}}": `layers.storage.needs[0]: the layer "images" ` +
			"comes later, in wave 4, and this one in wave 1",
		"layers: {storage: {provides: [images]}, images: {}}": `layers.storage.provides[0]: "images": expected`,
	} {
		_, diags := layers.RenderApps(write(t, site+text+"\n"), layers.Options{})
		if want == "" {
			require.NotContains(t, problems(diags, ""), "known to provide", text)
		} else {
			require.Contains(t, problems(diags, ""), want, text)
		}
	}
	// In a cluster that does not serve the kind yet, the layer waits, and takes no other with it.
	file := write(t, site+"layers: {operators: {}, a: {wave: 1, "+cluster+"}}\n")
	apps, diags := layers.RenderApps(file, layers.Options{APIVersions: []string{"v1", "operators.coreos.com/v1"}})
	require.Contains(t, problems(diags, ""), "the cluster does not serve ocs.openshift.io/StorageCluster")
	require.False(t, diags.HasErrors(), problems(diags, ""))
	require.Len(t, apps, 3)
}
