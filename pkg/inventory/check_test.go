package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
)

func TestDuplicates(t *testing.T) {
	for _, test := range []struct{ values, want string }{
		{"vms: {a: {}}\n---\nvms: {a: {}}\n", `vms.yaml:3:7: vms.a: duplicate VM "a" in namespace "ns"; the first is at `},
		{"vms: {a-0: {}, a: {replicas: 1}}\n", `duplicate VM "a-0"`},
		{"vms: {a: {disks: {b-c: 1Gi}}, a-b: {disks: {c: 1Gi}}}\n", `DataVolume "a-b-c" is also one of the VM "a"`},
		{"vms: {a: {services: {b-c: 1}}, a-b: {services: {c: 1}}}\n", `Service "a-b-c" is also one of the VM "a"`},
		{
			"vms: {a: {nics: [{network: pod, mac: '02:00:00:00:00:01'}]},\n" +
				"  b: {nics: [{network: pod, mac: '02-00-00-00-00-01'}]}}\n",
			`duplicate MAC address "02:00:00:00:00:01"`,
		},
		{
			"vms: {a: {nics: [{network: x/y, ip: 10.0.0.1/24}]}, b: {nics: [{network: x/y, ip: 10.0.0.1/16}]}}\n",
			`duplicate IP address "10.0.0.1"`,
		},
	} {
		_, problems := fleettest.Load(t, test.values)
		require.Len(t, problems, 1, test.values)
		require.Contains(t, problems[0], test.want)
	}
	_, problems := fleettest.Load(t, `vms: {a: {}, b: {namespace: other}}
---
namespace: other
vms: {a: {}}
---
vms: {c: {nics: [{network: x/y, ip: 10.0.0.1/24}]}, d: {nics: [{network: x/z, ip: 10.0.0.1/24}]}}
`)
	require.Empty(t, problems)
}

// TestSelectors checks which selectors select the pod of no VM.
func TestSelectors(t *testing.T) {
	const spread = "topologySpreadConstraints: [{topologyKey: zone, labelSelector: "
	const anti = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
	for _, test := range []struct{ vms, want string }{
		{"a: {replicas: 2, " + spread + "{matchLabels: {app: a}}}]}", `has a pod with the label "app: a"; pods have`},
		{"a: {replicas: 2, " + spread + "{matchLabels: {vmrender.io/group: a}}}]}", ""},
		{"a: {replicas: 2, " + spread + "{matchLabels: {vmrender.io/group: b}}}]}", `the label "vmrender.io/group: b"`},
		{"a: {labels: {tier: db}, " + spread + "{matchLabels: {tier: db}}}]}", ""},
		{"a: {namespace: x, labels: {tier: db}}, b: {" + spread + "{matchLabels: {tier: db}}}]}", `the label "tier: db"`},
		{"a: {" + spread + "{matchExpressions: [{key: tier, operator: Exists}]}}]}", `with the label "tier"`},
		{"a: {" + spread + "{matchExpressions: [{key: t, operator: In, values: [x, z]}]}}]}", `with the label "t: x, z"`},
		{"a: {" + spread + "{matchExpressions: [{key: tier, operator: NotIn, values: [x]}]}}]}", ""},
		{"a: {" + spread + "{matchLabels: {kubevirt.io: virt-launcher}}}]}", ""},
		{"a: {" + anti + "labelSelector: {matchLabels: {app: a}}}]}}}", "or `namespaces` of the term for pods of others"},
		{"a: {" + anti + "namespaces: [ns], labelSelector: {matchLabels: {app: a}}}]}}}", ""},
		{
			"a: {" + spread + "{matchLabels: {x: z}}}], overrides: {spec: {template: {metadata: {labels: {x: z}}}}}}", "",
		},
		{
			"a: {" + spread + "{matchLabels: {x: z}}}], patches: [{op: add, path: /spec/template/metadata/labels/x, value: z}]}",
			"",
		},
	} {
		_, problems := fleettest.Load(t, "vms: {"+test.vms+"}\n")
		if test.want == "" {
			require.Empty(t, problems, test.vms)
			continue
		}
		require.Len(t, problems, 1, test.vms)
		require.Contains(t, problems[0], ": warning: ")
		require.Contains(t, problems[0], test.want)
	}
}

// TestSharedClaims proves that two VMs may write to one claim only if both set
// `shareable`.
func TestSharedClaims(t *testing.T) {
	const old, own = "source: {claim: old}", "source: {claim: a-data}"
	for _, test := range []struct{ name, values, want string }{
		{
			"two", "{a: {disks: {x: {" + old + "}}}, b: {disks: {y: {" + old + "}}}}",
			`vms.yaml:1:63: vms.b.disks.y: the claim "old" is written to by the VM "a" at vms.yaml:1:7 as well; ` +
				"set `readOnly: true`, or `shareable: true` on both",
		},
		{
			"one-shareable", "{a: {disks: {x: {" + old + "}}}, b: {disks: {y: {" + old + ", shareable: true}}}}",
			`vms.b.disks.y: the claim "old" is written to by the VM "a"`,
		},
		{
			"replicas", "{a: {replicas: 2, disks: {x: {" + old + "}}}}",
			`vms.a.disks.x: the claim "old" is written to by the VM "a-0"`,
		},
		{
			"own", "{b: {disks: {y: {" + own + "}}}, a: {disks: {data: 1Gi}}}",
			`vms.b.disks.y: the claim "a-data" is written to by the VM "a"`,
		},
		{
			"own-shareable", "{a: {disks: {data: {size: 1Gi, shareable: true}}}, b: {disks: {y: {" + own + "}}}}",
			`vms.b.disks.y: the claim "a-data" is written to by the VM "a"`,
		},
		{
			"own-of-replica", "{a: {replicas: 1}, b: {disks: {y: {source: {claim: a-0}}}}}",
			`vms.b.disks.y: the claim "a-0" is written to by the VM "a-0"`,
		},
		{
			"third-writer", "{a: {disks: {x: {" + old + ", readOnly: true}}}, b: {disks: {x: {" + old + "}}}, " +
				"c: {disks: {x: {" + old + "}}}}",
			`vms.c.disks.x: the claim "old" is written to by the VM "b"`,
		},

		{"shareable", "{a: {replicas: 2, disks: {x: {" + old + ", shareable: true}}}}", ""},
		{"read-only", "{a: {disks: {x: {" + old + "}}}, b: {disks: {y: {" + old + ", readOnly: true}}}}", ""},
		{"cdrom", "{a: {replicas: 2, disks: {x: {" + old + ", type: cdrom}}}}", ""},
		{
			"both-shareable", "{a: {disks: {data: {size: 1Gi, shareable: true}}}, " +
				"b: {disks: {y: {" + own + ", shareable: true}}}}", "",
		},
		{"own-read", "{a: {disks: {data: 1Gi}}, b: {disks: {y: {" + own + ", readOnly: true}}}}", ""},
		{
			"own-read-only", "{a: {disks: {data: {size: 1Gi, readOnly: true}}}, b: {disks: {y: {" + own + "}}}}", "",
		},
		{"namespaces", "{a: {disks: {x: {" + old + "}}}, b: {namespace: other, disks: {y: {" + old + "}}}}", ""},
		{"once", "{a: {disks: {data: 1Gi, y: {" + own + "}}}}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, problems := fleettest.Load(t, "vms: "+test.values+"\n")
			if test.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], test.want)
		})
	}
}

func TestWaveProblems(t *testing.T) {
	for values, want := range map[string]string{
		"vms: {a: {dependsOn: [b]}, b: {dependsOn: [c]}, c: {dependsOn: [a]}}\n": "dependency cycle: a → b → c → a",
		"vms: {a: {dependsOn: [a]}}\n":                                           "dependency cycle: a → a",
		"vms: {a: {dependsOn: [ab]}}\n":                                          `no VM "ab" is rendered with this one`,
		"vms: {a: {dependsOn: [other/a]}}\n":                                     `no VM "other/a" is rendered with this one`,

		"vms: {a: {wave: 5}, b: {dependsOn: [a], wave: 5}}\n": "wave 5 is not after what it depends on; expected at least 6",
	} {
		_, problems := fleettest.Load(t, values)
		require.Len(t, problems, 1, values)
		require.Contains(t, problems[0], want)
	}
}
