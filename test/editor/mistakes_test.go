package editor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMistakes checks that each mistake is reported in its place and in helpful words:
// one problem, on the line that ends with an arrow.
func TestMistakes(t *testing.T) {
	f := open(t, "fleet")
	for _, c := range mistakes {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			before, _, ok := strings.Cut(c.text, arrow)
			require.True(t, ok, "no arrow")
			_, found := fleet{t, f.root}.show(c.file, c.text)
			require.Len(t, found, 1, "%+v", found)
			require.Contains(t, found[0].Message, c.want)
			require.Equal(t, strings.Count(before, "\n")+1, found[0].Range.Start.Line, found[0].Message)
			for _, word := range []string{"^", "[a-z", "\\"} { // regular expressions do not help a user
				require.NotContains(t, found[0].Message, word)
			}
		})
	}
}

// arrow is the comment on the line with a mistake.
const arrow = "# <-"

// mistakes are texts with one mistake, and a part of the expected problem.
var mistakes = []struct{ title, file, text, want string }{
	{"key of a VM", "a.yaml", vm("memroy: 4Gi # <-"), "memroy"},
	{"key of a file", "a.yaml", "vm: {} # <-\nvms: {}\n", "vm "},
	{"key of the fleet", "fleet.yaml", head + "defalts: {} # <-\n", "defalts"},
	{"key of a directory", "lab/_defaults.yaml", "vms: {} # <-\n", "vms"},
	{"key of an overlay", "env/dev.yaml", "environment: dev\nevery:\n  flavour: small # <-\n", "flavour"},
	{"long form of memory", "a.yaml", vm("memory: {gest: 1Gi} # <-"), "gest"},
	{"long form of memory in lines", "a.yaml", vm("memory:", "  guest: 1Gi", "  maximum: 2Gi # <-"), "maximum"},
	{"long form of cpu", "a.yaml", vm("cpu: {sokets: 1} # <-"), "sokets"},
	{"long form of lifecycle", "a.yaml", vm("lifecycle: {strategie: x} # <-"), "strategie"},
	{"long form of firmware", "a.yaml", vm("firmware: {typ: efi} # <-"), "typ"},
	{"long form of tpm", "a.yaml", vm("tpm: {persist: true} # <-"), "persist"},
	{"long form of a disk", "a.yaml", vm("disks: {data: {sise: 4Gi}} # <-"), "sise"},
	{"long form of a source", "a.yaml", vm("disks: {data: {source: {htp: x}}} # <-"), "htp"},
	{"long form of a service", "a.yaml", vm("services: {http: {prt: 80}} # <-"), "prt"},
	{"long form of approve", "a.yaml", vm("approve: {reboot: 00000000000000000000000000000000-00000000000000000000000000000000} # <-"), "reboot"},
	{"key of a NIC", "a.yaml", vm("nics:", "  - network: servers", "    adrs: 10.20.3.9/24 # <-"), "adrs"},
	{"key of cloud-init", "a.yaml", vm("cloudInit: {sshkeys: []} # <-"), "sshkeys"},
	{"unit of memory", "a.yaml", vm("memory: 5GB # <-"), "such as 16Gi"},
	{"memory without a unit", "a.yaml", vm("memory: 16 # <-"), "such as 16Gi"},
	{"unit of a size", "a.yaml", vm("disks: {data: 20 GB} # <-"), "such as 16Gi"},
	{"unit in a long form", "a.yaml", vm("memory:", "  guest: 5GB # <-"), "such as 16Gi"},
	{"operating system", "a.yaml", vm("os: rhel99 # <-"), "vmrender catalog os"},
	{"flavor", "a.yaml", vm("flavor: smal # <-"), "vmrender catalog flavors"},
	{"network", "a.yaml", vm("nics:", "  - network: server # <-"), "vmrender catalog networks"},
	{"network in short", "a.yaml", vm("nics: [server] # <-"), "vmrender catalog networks"},
	{"storage class", "a.yaml", vm("disks: {data: {size: 4Gi, storageClass: cef}} # <-"), "catalog storageClasses"},
	{"image", "a.yaml", vm("disks: {root: {source: {image: golden}}} # <-"), "vmrender catalog images"},
	{"trait", "fleet.yaml", head + "catalog: {os: {mine: {from: rhel9, traits: [hyper]}}} # <-\n", "catalog traits"},
	{"base", "fleet.yaml", head + "catalog: {os: {mine: {from: rhel99}}} # <-\n", "vmrender catalog os"},
	{"run strategy", "a.yaml", vm("runStrategy: always # <-"), "Always"},
	{"lifecycle", "a.yaml", vm("lifecycle: pets # <-"), "pet"},
	{"firmware", "a.yaml", vm("firmware: uefi # <-"), "efi"},
	{"level of the gate", "fleet.yaml", head + "policy: {approve: reboot} # <-\n", "restart"},
	{"text for a number", "a.yaml", vm("wave: first # <-"), "integer"},
	{"text for a boolean", "a.yaml", vm("stage: \"yes\" # <-"), "boolean"},
	{"list for a map", "a.yaml", vm("labels: [a] # <-"), "type"},
	{"list for a VM", "a.yaml", "vms:\n  web01: [] # <-\n", "type"},
	{"number out of range", "a.yaml", vm("services: {http: 80000} # <-"), "65535"},
	{"name of a VM", "a.yaml", "vms:\n  Web_01: {} # <-\n", "lower"},
	{"version of the fleet", "fleet.yaml", strings.Replace(head, "v1alpha1", "v1 # <-", 1), "v1alpha1"},
	{"no VMs", "a.yaml", "namespace: a # <-\n", "vms"},
	{"type in a field of KubeVirt", "a.yaml", vm("overrides: {spec: {template: {metadata: {labels: [a]}}}} # <-"), "type"},
	{"field of a toleration", "a.yaml", vm("tolerations: [{efect: NoSchedule}] # <-"), "efect"},
	{"field of KubeVirt", "a.yaml", vm("overrides: {spec: {template: {spec: {domain: {devises: {}}}}}} # <-"), "devises"},
}

// head is the beginning of every fleet.yaml.
const head = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: a}\n"
