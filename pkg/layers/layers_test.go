package layers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

func problems(diags *source.Diagnostics, dir string) string {
	var b strings.Builder
	for _, d := range diags.Sorted() {
		b.WriteString(strings.TrimPrefix(d.String(), dir+"/") + "\n")
	}
	return b.String()
}

func yaml(t *testing.T, objects []manifest.Object) string {
	t.Helper()
	var b bytes.Buffer
	w := manifest.NewWriter(&b, manifest.YAML)
	for _, o := range objects {
		require.NoError(t, w.Write(o.JSON))
	}
	require.NoError(t, w.Close())
	return b.String()
}

// Each platform in testdata/errors has a file with all its problems next to it.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, diags := layers.RenderApps(file, layers.Options{})
			require.True(t, diags.HasErrors())
			golden.Equal(t, strings.TrimSuffix(file, ".yaml")+".txt", problems(diags, filepath.Dir(file)))
		})
	}
}

// Each platform in testdata/platforms has its app-of-apps and its policies next to it.
func TestPlatforms(t *testing.T) {
	files, err := filepath.Glob("testdata/platforms/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			apps, diags := layers.RenderApps(file, layers.Options{})
			require.Empty(t, problems(diags, ""))
			golden.Equal(t, strings.TrimSuffix(file, ".yaml")+".apps.golden", yaml(t, apps))
			policies, diags := layers.RenderPolicies(file, layers.Options{})
			require.Empty(t, problems(diags, ""))
			golden.Equal(t, strings.TrimSuffix(file, ".yaml")+".policies.golden", yaml(t, policies))
		})
	}
}

func TestEntriesAreCharts(t *testing.T) {
	for _, e := range layers.Entries() {
		_, err := os.Stat(filepath.Join("../../charts", e.Name, "Chart.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, e.Impact)
	}
	dirs, err := filepath.Glob("../../charts/*/values.yaml")
	require.NoError(t, err)
	require.Len(t, layers.Entries(), len(dirs), "every chart is a layer")
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "platform.yaml")
	text = "apiVersion: vmrender.io/v1alpha1\nkind: Platform\nmetadata: {name: p}\n" + text
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

const oneOperator = `
layers:
  operators:
    values:
      operators: {nmstate: {enabled: false}}
`

func TestPatchesAreApplied(t *testing.T) {
	file := write(t, oneOperator+`
    patches:
      - {target: {kind: Subscription}, op: add, path: /spec/config,
         value: {env: [{name: KVM_EMULATION, value: "true"}]}}
      - {target: {kind: Namespace, name: openshift-cnv}, op: add, path: /metadata/labels/team, value: virt}
`)
	objects, diags := layers.RenderLayer(file, "operators", layers.Options{})
	require.Empty(t, problems(diags, ""))
	text := yaml(t, objects)
	require.Contains(t, text, "- name: KVM_EMULATION\n")
	require.Contains(t, text, "    team: virt\n")
}

// All copies within one object count, so that it cannot grow without limit.
func TestCopiesAreBounded(t *testing.T) {
	patches := "\n    patches:\n" +
		"      - {target: {kind: Subscription}, op: add, path: /spec/a, value: " + strings.Repeat("x", 400_000) + "}\n" +
		strings.Repeat("      - {target: {kind: Subscription}, op: copy, from: /spec/a, path: /spec/b}\n", 3)
	_, diags := layers.RenderLayer(write(t, oneOperator+patches), "operators", layers.Options{})
	require.Contains(t, problems(diags, ""), "layers.operators.patches[3]: Subscription openshift-cnv/hco-operatorhub: "+
		`copy "/spec/a" to "/spec/b": the copies are too large; expected at most 1 MiB in all`)
}

func TestIgnoredFieldsAreNotRendered(t *testing.T) {
	file := write(t, "source: {repoURL: https://git.example.com/p.git}\n"+oneOperator+`
    ignoreFields:
      - {target: {kind: Subscription}, pointer: /spec/channel}
      - {target: {kind: Subscription}, pointer: /spec/not/there}
`)
	objects, diags := layers.RenderLayer(file, "operators", layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.NotContains(t, yaml(t, objects), "channel:")

	apps, diags := layers.RenderApps(file, layers.Options{})
	require.Empty(t, problems(diags, ""))
	text := yaml(t, apps)
	require.Contains(t, text,
		"- group: operators.coreos.com\n    jsonPointers:\n    - /spec/channel\n    - /spec/not/there\n"+
			"    kind: Subscription\n")
	require.Contains(t, text, "- RespectIgnoreDifferences=true\n")
}

func TestPrerequisites(t *testing.T) {
	hyperconverged := "layers: {hyperconverged: {}}\n"
	for name, c := range map[string]struct {
		text string
		apis []string
		want string
	}{
		"not known": {hyperconverged, nil, ""},
		"served":    {hyperconverged, []string{"hco.kubevirt.io/v1beta1"}, ""},
		"target's":  {"target: {apiVersions: [hco.kubevirt.io/v1]}\n" + hyperconverged, []string{"v1"}, ""},
		"nobody": {
			hyperconverged,
			[]string{"v1"},
			"does not serve hco.kubevirt.io/HyperConverged, and no layer of the platform provides it, " +
				"so this layer waits; expected a layer of the chart operators",
		},
		"earlier layer": {
			"layers: {hyperconverged: {}, operators: {}}\n",
			[]string{"v1"},
			`the cluster does not serve hco.kubevirt.io/HyperConverged yet; the layer "operators" provides it`,
		},
		"only too late": {
			"layers: {hyperconverged: {}, operators: {wave: 5}}\n",
			[]string{"v1"},
			"move the layer operators to an earlier wave",
		},
		"like its group": {hyperconverged, []string{"hco.kubevirt.io.example.com/v1"}, "does not serve hco.kubevirt.io/"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := layers.RenderLayer(write(t, c.text), "hyperconverged", layers.Options{APIVersions: c.apis})
			if c.want == "" {
				require.Empty(t, problems(diags, ""))
			} else {
				require.Contains(t, problems(diags, ""), c.want)
			}
		})
	}
}

func TestMigrationNetwork(t *testing.T) {
	const site = `source: {repoURL: https://git.example.com/p.git}
layers:
  operators: {}
  hyperconverged: {values: {virtualization: {liveMigrationConfig: {network: migration}}}}
`
	lan := func(text string) string { return "  network: {values: {networks: {migration: {" + text + "}}}}\n" }
	const bridge = "namespace: openshift-cnv, type: bridge, bridge: br1"
	vfs := func(text string) string {
		return strings.Replace(site, "operators: {}", "operators: {values: {operators: {sriov: {enabled: true}}}}", 1) +
			"  network: {values: {sriov: {nodePolicies: {a: {resourceName: a, numVfs: 2, deviceType: netdevice, " +
			"nicSelector: {pfNames: [ens5]}}}, networks: {migration: {resourceName: a, " + text + "}}}}}\n"
	}
	udn := func(text string) string {
		return site + "  network: {values: {userDefinedNetworks: {migration: {topology: Layer2, " +
			"namespace: openshift-cnv" + text + "}}}}\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"made elsewhere": {
			site, "warning: layers.hyperconverged.values.virtualization.liveMigrationConfig.network: no layer",
		},
		"with addresses": {site + lan(bridge+", ipam: {type: whereabouts}"), ""},
		"as given": {
			site + lan("namespace: openshift-cnv, type: custom, config: {type: macvlan, ipam: {type: dhcp}}"), "",
		},
		"no addresses": {site + lan(bridge), "the network openshift-cnv/migration assigns no addresses"},
		"another namespace": {
			site + lan("type: bridge, bridge: br1, ipam: {type: whereabouts}"),
			"no layer creates the NetworkAttachmentDefinition openshift-cnv/migration",
		},
		"too late": {
			site + strings.Replace(lan(bridge+", ipam: {type: whereabouts}"), "{values", "{wave: 2, values", 1),
			`the layer "network" creates openshift-cnv/migration no earlier than this layer`,
		},
		"of virtual functions": {vfs("namespace: openshift-cnv, ipam: {type: whereabouts}"), ""},
		"virtual functions without addresses": {
			vfs("namespace: openshift-cnv"), "the network openshift-cnv/migration assigns no addresses",
		},
		"virtual functions elsewhere": {
			vfs("ipam: {type: whereabouts}"), "no layer creates the NetworkAttachmentDefinition openshift-cnv/migration",
		},
		"user-defined":                   {udn(", subnets: [192.0.2.0/24]"), ""},
		"user-defined without addresses": {udn(""), "the network openshift-cnv/migration assigns no addresses"},
		"of v1": {
			strings.Replace(site, "{values: {", "{values: {apiVersion: v1, ", 1) + lan(bridge),
			"7:93: layers.hyperconverged.values.virtualization.liveMigrationConfig.network: the network",
		},
		"of KubeVirt": {
			strings.Replace(site, "  hyperconverged: {values: {virtualization: {liveMigrationConfig: {network: migration}}}}",
				"  kubevirt: {values: {kubevirt: {configuration: {migrations: {network: migration}}}}}", 1) +
				lan("namespace: kubevirt, type: bridge, bridge: br1"),
			"the network kubevirt/migration assigns no addresses",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := layers.RenderApps(write(t, c.text), layers.Options{})
			if c.want == "" {
				require.Empty(t, problems(diags, ""))
			} else {
				require.Contains(t, problems(diags, ""), c.want)
			}
		})
	}
}

// The release of OpenShift determines the Kubernetes version that a chart assumes, unless the cluster or the target
// specifies one.
func TestOpenShiftRelease(t *testing.T) {
	for name, c := range map[string]struct{ target, kube, profile string }{
		"4.19":             {`openshift: "4.19"`, "", "DevKubeVirtRelieveAndMigrate"},
		"4.20":             {`openshift: "4.20"`, "", "KubeVirtRelieveAndMigrate"},
		"unknown":          {`openshift: true`, "", "KubeVirtRelieveAndMigrate"},
		"target's version": {`openshift: "4.20", kubernetes: "1.32"`, "", "DevKubeVirtRelieveAndMigrate"},
		"cluster's":        {`openshift: "4.20"`, "v1.31.2", "DevKubeVirtRelieveAndMigrate"},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, "target: {"+c.target+"}\nlayers: {load-aware: {}}\n")
			objects, diags := layers.RenderLayer(file, "load-aware", layers.Options{KubeVersion: c.kube})
			require.Empty(t, problems(diags, ""))
			require.Contains(t, yaml(t, objects), "  - "+c.profile+"\n")
		})
	}
	for text, want := range map[string]string{
		`{openshift: "4.17"}` + "\nlayers: {storage: {}}": `warning: target.openshift: release "4.17" is not one that`,
		`{openshift: "4.24"}` + "\nlayers: {storage: {}}": `warning: target.openshift: release "4.24" is not one that`,
		`{openshift: "4.22"}` + "\nlayers: {hyperconverged: {values: {apiVersion: v1}}}": "layers.hyperconverged.values." +
			"apiVersion: OpenShift 4.22 has v1beta1, and v1 is from OpenShift 4.23 and KubeVirt 1.9; remove it",
		`{openshift: "4.18"}` + "\nlayers: {network: {values: {userDefinedNetworks: {v: {topology: Localnet, " +
			"physicalNetworkName: p, namespaceSelector: {}}}}}}": "layers.network.values.userDefinedNetworks.v.topology: " +
			"OpenShift 4.18 has no Localnet of this kind; expected 4.19 or later",
	} {
		_, diags := layers.RenderApps(write(t, "source: {repoURL: https://git.example.com/p.git}\ntarget: "+text+"\n"),
			layers.Options{})
		require.Contains(t, problems(diags, ""), want)
	}
	for _, wrong := range []string{"4.20", "yes", `"4"`, `"5.0"`, "[]"} {
		_, diags := layers.RenderApps(write(t, "target: {openshift: "+wrong+"}\nlayers: {storage: {}}\n"), layers.Options{})
		require.Contains(t, problems(diags, ""), "target.openshift: ", wrong)
	}
}

// On a cluster that is not OpenShift, the API version of HyperConverged follows from KubeVirt, not from Kubernetes.
func TestKubeVirt(t *testing.T) {
	render := func(layer, target, values string) (string, string) {
		file := write(t, "source: {repoURL: https://git.example.com/p.git}\ntarget: "+target+"\n"+
			"layers:\n  hyperconverged: {"+values+"}\n  higher-density:\n    values: {hyperconverged: {manage: true}}\n"+
			"    provides: [machineconfiguration.openshift.io]\n")
		objects, diags := layers.RenderLayer(file, layer, layers.Options{})
		return yaml(t, objects), problems(diags, "")
	}
	for version, api := range map[string]string{"1.6": "v1beta1", "1.7.2": "v1beta1", "1.8": "v1beta1", "1.9": "v1"} {
		for _, kubernetes := range []string{"1.31", "1.36"} {
			target := fmt.Sprintf("{openshift: false, kubevirt: %q, kubernetes: %q}", version, kubernetes)
			text, wrong := render("hyperconverged", target, "")
			require.Empty(t, wrong)
			require.Contains(t, text, "apiVersion: hco.kubevirt.io/"+api+"\n", version+" on "+kubernetes)
		}
	}
	for _, c := range []struct{ target, values, want string }{
		{`{openshift: false, kubevirt: "1.8"}`, "values: {apiVersion: v1}", "layers.hyperconverged.values.apiVersion: " +
			"the HyperConverged that deploys KubeVirt 1.8 has v1beta1, and v1 is from OpenShift 4.23 and KubeVirt 1.9; " +
			"remove it"},
		{`{openshift: false, kubevirt: "1.9"}`, "values: {apiVersion: v1beta1}", ""},
		{
			`{openshift: false, kubevirt: "1.5"}`, "",
			`warning: target.kubevirt: version "1.5" is not one that vmrender has rules of layers for, 1.6 to 1.9`,
		},
		{`{openshift: false, kubevirt: "1.10"}`, "", `warning: target.kubevirt: version "1.10" is not one that`},
		{`{openshift: "4.20", kubevirt: "1.6"}`, "", "target.kubevirt: the release of OpenShift determines it; set"},
		{`{kubevirt: new, openshift: false}`, "", `target.kubevirt: invalid version "new"; expected a version such as "1.8"`},
	} {
		_, wrong := render("hyperconverged", c.target, c.values)
		require.Contains(t, wrong, c.want, c.target)
		require.Equal(t, c.want == "", wrong == "", wrong)
	}
}

// A setting that two layers must agree on is set once.
func TestLayersAgree(t *testing.T) {
	const both = "layers:\n  hyperconverged: {values: {virtualization: {%s}}}\n  %s: {values: {%s}}\n"
	for name, c := range map[string]struct{ hco, chart, other, layer, want string }{
		"density": {"", "higher-density", "memoryToRequestRatio: 200", "hyperconverged", "memoryOvercommitPercentage: 200\n"},
		"default": {"", "higher-density", "", "hyperconverged", "memoryOvercommitPercentage: 150\n"},
		"KSM":     {"", "higher-density", "", "hyperconverged", "  ksmConfiguration:\n    nodeLabelSelector: {}\n"},
		"the same": {
			"higherWorkloadDensity: {memoryOvercommitPercentage: 200}", "higher-density", "memoryToRequestRatio: 200",
			"hyperconverged", "memoryOvercommitPercentage: 200\n",
		},
		"migrations": {
			"liveMigrationConfig: {parallelMigrationsPerCluster: 20, parallelOutboundMigrationsPerNode: 4}", "load-aware", "",
			"load-aware", "  evictionLimits:\n    node: 4\n    total: 18\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, fmt.Sprintf(both, c.hco, c.chart, c.other))
			objects, diags := layers.RenderLayer(file, c.layer, layers.Options{})
			require.Empty(t, problems(diags, ""))
			require.Contains(t, yaml(t, objects), c.want)
		})
	}
	off := write(t, fmt.Sprintf(both, "", "higher-density", "ksmConfiguration: {enabled: false}"))
	objects, _ := layers.RenderLayer(off, "hyperconverged", layers.Options{})
	require.NotContains(t, yaml(t, objects), "ksmConfiguration")

	file := write(t, fmt.Sprintf(both, "higherWorkloadDensity: {memoryOvercommitPercentage: 120}", "higher-density", ""))
	_, diags := layers.RenderLayer(file, "hyperconverged", layers.Options{})
	require.Contains(t, problems(diags, ""), "platform.yaml:5:98: "+
		"layers.hyperconverged.values.virtualization.higherWorkloadDensity.memoryOvercommitPercentage: "+
		"is 120 here, and 150 in layers.higher-density.values.memoryToRequestRatio; set it in one of them")
}

// HyperConverged and VMs run on the pool that is for VMs, and a placement that does not reach it is an error.
func TestPoolOfVMs(t *testing.T) {
	const both = `layers:
  node-pools:%s
    values:
      pools:
        virt:
          labels: {role/virt: ""}
          taints: [{key: vms, value: "true", effect: NoSchedule}, {key: soft, effect: PreferNoSchedule}]
      virtualMachines: virt
  hyperconverged: {values: {%s}}
`
	const follows = `      nodeSelector:
        role/virt: ""
      tolerations:
      - effect: NoSchedule
        key: vms
        operator: Equal
        value: "true"
      - effect: PreferNoSchedule
        key: soft
        operator: Exists
`
	objects, diags := layers.RenderLayer(write(t, fmt.Sprintf(both, "", "")), "hyperconverged", layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.Equal(t, 2, strings.Count(yaml(t, objects), follows))

	for placement, want := range map[string]string{
		`nodeSelector: {role/virt: ""}, tolerations: [{operator: Exists}]`: "",
		`tolerations: [{operator: Exists}]`:                                "",
		`nodeSelector: {role/virt: ""}`: `placement.tolerations: do not tolerate "vms=true:NoSchedule" ` +
			`of the pool "virt" in layers.node-pools, `,
		`nodeSelector: {role/vm: ""}, tolerations: [{operator: Exists}]`: `placement.nodeSelector.role/vm: no label ` +
			`of the pool "virt" in layers.node-pools, which runs VMs; remove`,
	} {
		file := write(t, fmt.Sprintf(both, "", "placement: {"+placement+"}"))
		_, diags := layers.RenderLayer(file, "hyperconverged", layers.Options{})
		if want == "" {
			require.Empty(t, problems(diags, ""), placement)
		} else {
			require.Contains(t, problems(diags, ""), want, placement)
		}
	}

	paused := write(t, fmt.Sprintf(both, "\n    action: Ignore", ""))
	_, diags = layers.RenderLayer(paused, "hyperconverged", layers.Options{})
	require.Contains(t, problems(diags, ""), "layers.hyperconverged.values.placement: missing; "+
		"layers.node-pools.values.virtualMachines, from which it follows, is ")

	// The pool of a layer that is paused can be another one than is applied.
	paused = write(t, fmt.Sprintf(both, "\n    action: Ignore", `placement: {nodeSelector: {role/old: ""}}`))
	_, diags = layers.RenderLayer(paused, "hyperconverged", layers.Options{})
	require.Empty(t, problems(diags, ""))
}

// Objects that an operator reads in its own namespace only follow it there.
func TestNamespacesOfOperatorsAgree(t *testing.T) {
	const site = "layers:\n  operators: {values: {operators: {oadp: {enabled: true, namespace: %s}}}}\n" +
		"  backup: {values: {%sbackupLocations: {a: {provider: gcp, bucket: b}}}}\n"
	file := write(t, fmt.Sprintf(site, "velero", ""))
	objects, diags := layers.RenderLayer(file, "backup", layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.Contains(t, yaml(t, objects), "  namespace: velero\n")

	file = write(t, fmt.Sprintf(site, "velero", "namespace: openshift-adp, "))
	_, diags = layers.RenderLayer(file, "backup", layers.Options{})
	require.Contains(t, problems(diags, ""), `layers.backup.values.namespace: is "openshift-adp" here, and "velero" `+
		"in layers.operators.values.operators.oadp.namespace; set it in one of them")
}

// A policy whose name the hub would refuse is an error, and one without cluster sets is bound to all clusters.
func TestPolicyBindings(t *testing.T) {
	long := "policy: {namespace: " + strings.Repeat("n", 54) + "}\n"
	_, diags := layers.RenderPolicies(write(t, long+"layers: {storage: {}}\n"), layers.Options{})
	require.Contains(t, problems(diags, ""), `and policy "p-storage" have 63 characters together; expected at most 62`)
	objects, diags := layers.RenderPolicies(write(t, "layers: {storage: {}}\n"), layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.Contains(t, yaml(t, objects), "kind: ManagedClusterSetBinding\nmetadata:\n  name: global\n")
	require.Contains(t, yaml(t, objects), "  clusterSets:\n  - global\n")
}

// If a group enforces while its policies only inform, it gets a second binding, to its clusters and with the applied
// policies.
func TestDecisionGroups(t *testing.T) {
	const groups = `policy:
  clusterSelector: {vms: "true"}
  %s
  decisionGroups:
    - {groupName: canary, clusterSelector: {site: lab}, remediationAction: enforce}
    - {groupName: branches, clusterSelector: {tier: branch}}
layers: {storage: {action: DryRun}, governance: {}}
`
	objects, diags := layers.RenderPolicies(write(t, fmt.Sprintf(groups, "remediationAction: inform")), layers.Options{})
	require.Empty(t, problems(diags, ""))
	text := yaml(t, objects)
	const binding = "kind: ManagedClusterSetBinding"
	policies, rest, found := strings.Cut(text, binding)
	require.True(t, found)
	require.NotContains(t, policies, "enforce")
	golden.Equal(t, "testdata/groups.golden", binding+rest)

	for _, action := range []string{"", "remediationAction: enforce"} {
		_, diags = layers.RenderPolicies(write(t, fmt.Sprintf(groups, action)), layers.Options{})
		require.Contains(t, problems(diags, ""), "policy.decisionGroups[0].remediationAction: has no effect")
	}
	for want, group := range map[string]string{
		`[0].groupName: invalid name "a.b"`:          "{groupName: a.b, clusterSelector: {a: b}}",
		"[0].clusterSelector: missing":               "{groupName: aa}",
		"[0].groupName: \"a\" is too short":          "{groupName: a, clusterSelector: {a: b}}",
		`[1].groupName: "aa" names an earlier group`: "{groupName: aa, clusterSelector: {a: b}}, {groupName: aa}",
		`[0].remediationAction: unknown value "inform"`: "{groupName: aa, clusterSelector: {a: b}, " +
			"remediationAction: inform}",
	} {
		file := write(t, "policy: {decisionGroups: ["+group+"]}\nlayers: {storage: {}}\n")
		_, diags = layers.RenderApps(file, layers.Options{})
		require.Contains(t, problems(diags, ""), "policy.decisionGroups"+want)
	}
}

func TestUnknownLayer(t *testing.T) {
	_, diags := layers.RenderLayer(write(t, "layers: {operators: {}}\n"), "operator", layers.Options{})
	require.Contains(t, problems(diags, ""), `layers: no layer of the name "operator"; did you mean "operators"?`)
}

// A layer that is not managed has no Application. Ignored layers are not reconciled, and dry runs wait for a user.
func TestModesAndActions(t *testing.T) {
	apps, diags := layers.RenderApps(write(t, `source: {repoURL: https://git.example.com/p.git}
layers:
  operators: {mode: unmanaged}
  a: {chart: storage, action: DryRun, wave: 0}
  b: {chart: operators, action: Ignore}
  c: {chart: operators, action: Apply, wave: -1}
`), layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.Len(t, apps, 4)
	require.Equal(t, "Application openshift-gitops/p-c", apps[1].String())
	for i, want := range map[int]string{1: "automated", 3: `"argocd.argoproj.io/skip-reconcile":"true"`} {
		require.Contains(t, string(apps[i].JSON), want)
	}
	require.NotContains(t, string(apps[2].JSON), "automated")
	require.NotContains(t, string(apps[2].JSON), "skip-reconcile")
	for _, app := range apps[1:] {
		require.NotContains(t, string(app.JSON), "finalizers", "the objects of a layer survive its Application")
	}
}

// A layer that waits for a user delays only the layers that need it, directly or indirectly. Those come after all other
// layers, and only their policies depend on its policy.
func TestDryRunHoldsBackWhatNeedsIt(t *testing.T) {
	file := write(t, `source: {repoURL: https://git.example.com/p.git}
layers:
  operators: {}
  network: {action: DryRun, values: {networks: {lan: {type: bridge, bridge: br1}}}}
  hyperconverged: {action: DryRun}
  storage: {values: {classes: {block: {accessModes: [ReadWriteMany], volumeMode: Block}}}}
  governance: {}
`)
	apps, diags := layers.RenderApps(file, layers.Options{})
	require.Empty(t, problems(diags, ""))
	for name, wave := range map[string]string{"hyperconverged": "2", "storage": "1003", "governance": "4"} {
		require.Contains(t, yaml(t, apps), "argocd.argoproj.io/sync-wave: \""+wave+"\"\n    vmrender.io/impact: "+
			map[string]string{"hyperconverged": "medium", "storage": "low", "governance": "medium"}[name]+"\n  labels:\n"+
			"    app.kubernetes.io/managed-by: vmrender\n    app.kubernetes.io/part-of: p\n  name: p-"+name+"\n")
	}
	policies, diags := layers.RenderPolicies(file, layers.Options{})
	require.Empty(t, problems(diags, ""))
	for name, want := range map[string][]string{
		"network": {"p-operators"}, "hyperconverged": {"p-operators"},
		"storage": {"p-operators", "p-hyperconverged"}, "governance": {"p-operators"},
	} {
		require.Equal(t, want, dependencies(t, policies, "p-"+name), name)
	}
}

// dependencies returns the names of the policies that a policy depends on.
func dependencies(t *testing.T, objects []manifest.Object, policy string) []string {
	t.Helper()
	i := slices.IndexFunc(objects, func(o manifest.Object) bool { return o.Kind == "Policy" && o.Name == policy })
	require.GreaterOrEqual(t, i, 0)
	var read struct {
		Spec struct{ Dependencies []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(objects[i].JSON, &read))
	var names []string
	for _, d := range read.Spec.Dependencies {
		names = append(names, d.Name)
	}
	return names
}

// A pool waits for the MachineConfigs that the other layers apply to it automatically, and for no others.
func TestPoolsExpectMachineConfigs(t *testing.T) {
	file := write(t, `layers:
  baseline: {action: DryRun, values: {pciPassthrough: {enabled: true, devices: ["10de:1eb8"]}}}
  load-aware: {}
  higher-density: {values: {pools: [worker, infra]}}
  nodes: {values: {pools: [worker, infra, gpu]}}
`)
	objects, diags := layers.RenderLayer(file, "nodes", layers.Options{})
	require.Empty(t, problems(diags, ""))
	const annotation = "vmrender.io/machine-config-"
	require.Len(t, objects, 3)
	require.NotContains(t, string(objects[0].JSON), annotation, "gpu")
	require.Contains(t, string(objects[1].JSON), `"`+annotation+`1":"90-infra-kubelet-swap"`)
	require.Contains(t, string(objects[2].JSON),
		`"`+annotation+`1":"90-worker-kubelet-swap","`+annotation+`2":"99-worker-psi-karg"`)
}

// With `render: helm` Argo CD renders the chart itself, from the repository of the charts.
func TestNativeHelm(t *testing.T) {
	apps, diags := layers.RenderApps(write(t, `charts: {repoURL: https://git.example.com/charts.git, targetRevision: v1}
layers:
  operators: {render: helm, values: {defaults: {approval: Manual}}}
`), layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.Contains(t, string(apps[1].JSON),
		`"source":{"helm":{"releaseName":"operators","valuesObject":{"defaults":{"approval":"Manual"}}},`+
			`"path":"charts/operators","repoURL":"https://git.example.com/charts.git","targetRevision":"v1"}`)
}

func FuzzPlatform(f *testing.F) {
	f.Add(oneOperator)
	f.Add("layers: {operators: {patches: [{op: add, path: /x, value: 1}], ignoreFields: [/spec, {pointer: /a/0}]}}")
	f.Add("layers: {operators: {values: {operators: [1, {}]}, action: Apply, wave: 1e9}}")
	f.Fuzz(func(t *testing.T, text string) {
		objects, diags := layers.RenderApps(write(t, text), layers.Options{})
		if !diags.HasErrors() {
			require.NotEmpty(t, objects)
		}
	})
}

// TestGroups checks that the groups of a platform are the app-of-apps and the layers, each rendered as if alone.
func TestGroups(t *testing.T) {
	files, err := filepath.Glob("testdata/platforms/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		groups, diags := layers.RenderGroups(file, layers.Options{})
		require.Empty(t, problems(diags, ""))
		apps, _ := layers.RenderApps(file, layers.Options{})
		require.Equal(t, layers.Group{Objects: apps}, groups[0])
		unmanaged := func(g layers.Group) bool { return g.Unmanaged }
		managed := slices.DeleteFunc(slices.Clone(groups), unmanaged)
		require.Len(t, managed, len(apps), "an Application for each layer, and the AppProject")
		for _, g := range groups[1:] {
			alone, _ := layers.RenderGroups(file, layers.Options{Layer: g.Layer})
			require.Equal(t, alone[0].Objects, g.Objects)
			require.NotEmpty(t, g.Layer)
		}
	}
}

// An operator's catalog must exist, either in the platform or as one of OpenShift's. If the platform creates none, it
// may exist for other reasons.
func TestCatalogs(t *testing.T) {
	operators := func(catalog string) string {
		return "  operators: {values: {catalog: " + catalog + ", operators: {nmstate: {enabled: false}}}}\n"
	}
	const sources = "  catalog: {values: {sources: {mine: {image: registry.example.com/x}}}}\n"
	for name, c := range map[string]struct{ target, layers, want string }{
		"of OpenShift":          {"", operators("{source: certified-operators}"), ""},
		"not known":             {"", operators("{source: mine}"), "warning: layers.operators.values.catalog.source: "},
		"of the platform":       {"", sources + operators("{source: mine}"), ""},
		"beside the platform's": {"", sources + operators("{source: redhat-operators}"), ""},
		"in another namespace": {
			"", sources + operators("{source: mine, namespace: olm}"), `no layer creates the CatalogSource "olm/mine"`,
		},
		"on another cluster": {"target: {openshift: false}\n", operators("{source: x}"), ""},
		"without OpenShift's own": {
			"", "  catalog: {values: {disableAllDefaultSources: true}}\n" + operators("{}"),
			`CatalogSource "openshift-marketplace/redhat-operators", and OpenShift's own are switched off; `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, "source: {repoURL: https://git.example.com/p.git}\n"+c.target+"layers:\n"+c.layers)
			_, diags := layers.RenderApps(file, layers.Options{})
			got := problems(diags, "")
			if c.want == "" {
				require.NotContains(t, got, "CatalogSource")
			} else {
				require.Contains(t, got, c.want)
			}
		})
	}
}

// A Job is immutable: a policy recreates it if it differs, and otherwise leaves it alone.
func TestJobsOfPolicies(t *testing.T) {
	file := write(t, `
layers:
  images: {values: {templateCleanup: {enabled: true, image: registry.example.com/tools/oc}}}
`)
	policies, diags := layers.RenderPolicies(file, layers.Options{})
	require.Empty(t, problems(diags, ""))
	text := yaml(t, policies)
	require.Equal(t, 1, strings.Count(text, "recreateOption: IfRequired\n"))
	require.NotContains(t, text, "argocd.argoproj.io/hook")
}

// An Application and a policy treat the version of an operator the same way: with manual approval it is pinned, and
// otherwise upgrades start from it. A policy approves versions itself. For Argo CD, a Job does.
func TestPinnedVersions(t *testing.T) {
	operators := func(approval string) string {
		return write(t, "layers: {operators: {values: {defaults: {approval: "+approval+"}, "+
			"approver: {image: registry.example.com/vmrender:1}, operators: {nmstate: {enabled: false}, "+
			"virtualization: {startingCSV: kubevirt-hyperconverged-operator.v4.20.3}}}}}\n")
	}
	for approval, want := range map[string]struct{ jobs, versions, upgrades string }{
		"Automatic": {"", "", "upgradeApproval: Automatic"},
		"Manual": {
			"kind: Job\n", "versions:\n        - kubevirt-hyperconverged-operator.v4.20.3\n", "upgradeApproval: None",
		},
	} {
		t.Run(approval, func(t *testing.T) {
			file := operators(approval)
			objects, diags := layers.RenderLayer(file, "operators", layers.Options{})
			require.Empty(t, problems(diags, ""))
			require.Equal(t, want.jobs != "", strings.Contains(yaml(t, objects), "kind: Job\n"))
			require.Contains(t, yaml(t, objects), "startingCSV: kubevirt-hyperconverged-operator.v4.20.3")

			policies, diags := layers.RenderPolicies(file, layers.Options{})
			require.Empty(t, problems(diags, ""))
			text := yaml(t, policies)
			require.NotContains(t, text, "approver")
			require.Equal(t, want.versions != "", strings.Contains(text, "versions:\n"))
			require.Contains(t, text, want.versions)
			require.Contains(t, text, want.upgrades)
		})
	}
}

// Objects that others manage are rendered for Argo CD to skip, because it would prune them otherwise. Other objects are
// unchanged, and policies contain only those.
func TestUnmanaged(t *testing.T) {
	file := write(t, "layers: {load-aware: {unmanaged: [MachineConfig/99-worker-psi-karg]}}\n"+
		"target: {apiVersions: [operator.openshift.io/v1]}\n")
	objects, diags := layers.RenderLayer(file, "load-aware", layers.Options{})
	require.Empty(t, problems(diags, ""))
	for _, o := range objects {
		text := yaml(t, []manifest.Object{o})
		require.Equal(t, o.Kind == "MachineConfig", strings.Contains(text, "argocd.argoproj.io/hook: Skip\n"), text)
	}
	policies, diags := layers.RenderPolicies(file, layers.Options{})
	require.Empty(t, problems(diags, ""))
	require.NotContains(t, yaml(t, policies), "kind: MachineConfig\n")
}
