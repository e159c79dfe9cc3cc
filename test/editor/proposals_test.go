package editor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProposals checks the proposals at the caret, and that each has a description of a few words.
func TestProposals(t *testing.T) {
	f := open(t, "fleet")
	for _, c := range proposals {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			got := fleet{t, f.root}.proposed(c.file, c.text)
			for label := range strings.FieldsSeq(c.want) {
				require.Contains(t, got, label)
				require.NotEmpty(t, strings.TrimSpace(string(got[label].Documentation)), label)
			}
			for label := range strings.FieldsSeq(c.not) {
				require.NotContains(t, got, label)
			}
		})
	}
}

// vm returns the text of a file with a VM that has a few lines, which are indented.
func vm(lines ...string) string {
	return "vms:\n  web01:\n    " + strings.Join(lines, "\n    ") + "\n"
}

// domain is the beginning of the lines of a VM that override fields of KubeVirt's domain.
const domain = "overrides:\n      spec:\n        template:\n          spec:\n            domain:\n              "

// proposals are the labels that must be proposed and those that must not be, by place. The
// fleet is examples/fleet, whose catalog has its own entries.
var proposals = []struct{ title, file, text, want, not string }{
	{"operating system", "a.yaml", vm("os: ‸"), "rhel9 windows2022 fedora web", "ceph db"},
	{"begun operating system", "a.yaml", vm("os: rh‸"), "rhel9 web", ""},
	{"operating system of a directory", "lab/_defaults.yaml", "os: ‸\n", "rhel9 web", ""},
	{"operating system of the fleet", "fleet.yaml", "defaults:\n  os: ‸\n", "rhel9 web", ""},
	{"flavor", "a.yaml", vm("flavor: ‸"), "small u1.medium db", "rhel9"},
	{"network of a NIC", "a.yaml", vm("nics:", "  - network: ‸"), "servers storage fast pod", "ceph"},
	{"NIC", "a.yaml", vm("nics:", "  - ‸"), "servers storage fast pod network", ""},
	{"storage class", "a.yaml", vm("disks:", "  root:", "    storageClass: ‸"), "ceph local", "servers"},
	{"image", "a.yaml", vm("disks:", "  root:", "    source:", "      image: ‸"), "golden-web", "ceph"},
	{"base of an operating system", "fleet.yaml", "catalog:\n  os:\n    mine:\n      from: ‸\n", "rhel9 web", "db"},
	{"trait", "fleet.yaml", "catalog:\n  os:\n    mine:\n      traits:\n        - ‸\n", "hyperv virtio", "rhel9"},
	{"run strategy", "a.yaml", vm("runStrategy: ‸"), "Always Halted Manual", ""},
	{"lifecycle", "a.yaml", vm("lifecycle: ‸"), "pet cattle", ""},
	{"firmware", "a.yaml", vm("firmware: ‸"), "bios efi secureboot", ""},
	{"level of the gate", "fleet.yaml", "policy:\n  approve: ‸\n", "live restart data-loss", ""},
	{"keys of a file", "a.yaml", "‸\n", "vms namespace defaults vars", "os"},
	{"keys of the fleet", "fleet.yaml", "‸\n", "target catalog defaults policy vms", "os"},
	{"keys of a VM", "a.yaml", vm("‸"), "os flavor cpu memory disks nics cloudInit runStrategy overrides", ""},
	{"keys of a VM next to others", "a.yaml", vm("os: rhel9", "‸"), "flavor cpu memory", "os"},
	{"keys of a directory", "lab/_defaults.yaml", "os: rhel9\n‸\n", "flavor cpu memory", "os vms"},
	{"keys of an overlay", "env/dev.yaml", "‸\n", "environment every vms catalog namespaceSuffix", ""},
	{"long form of memory", "a.yaml", vm("memory:", "  ‸"), "guest max hugepages", ""},
	{"more of the long form of memory", "a.yaml", vm("memory:", "  guest: 4Gi", "  ‸"), "max hugepages", "guest"},
	{"long form of cpu", "a.yaml", vm("cpu:", "  ‸"), "sockets cores threads model features", ""},
	{"long form of lifecycle", "a.yaml", vm("lifecycle:", "  ‸"), "type strategy removal", ""},
	{"strategy", "a.yaml", vm("lifecycle:", "  strategy: ‸"), "rollout replace blue-green pool", ""},
	{"keys of a disk", "a.yaml", vm("disks:", "  data:", "    ‸"), "size source storageClass accessMode", ""},
	{"modes of a disk", "a.yaml", vm("disks:", "  data:", "    accessMode: ‸"), "ReadWriteOnce ReadWriteMany", ""},
	{"sources of a disk", "a.yaml", vm("disks:", "  data:", "    source:", "      ‸"), "registry http pvc image", ""},
	{"keys of a NIC", "a.yaml", vm("nics:", "  - network: servers", "    ‸"), "ip mac model gateway", "network"},
	{"keys of a service", "a.yaml", vm("services:", "  http:", "    ‸"), "port targetPort protocol", ""},
	{"keys of KubeVirt", "a.yaml", vm(domain + "‸"), "devices cpu memory machine", "nics"},
	{"devices of KubeVirt", "a.yaml", vm(domain + "devices:\n                ‸"), "disks interfaces watchdog", "nics"},
	{"keys of a toleration", "a.yaml", vm("tolerations:", "  - ‸"), "key operator effect", "os"},
	{"keys of an affinity", "a.yaml", vm("affinity:", "  ‸"), "nodeAffinity podAffinity podAntiAffinity", "os"},
	{"keys of a probe", "a.yaml", vm("readinessProbe:", "  ‸"), "httpGet tcpSocket guestAgentPing", "os"},
	{"keys of KubeVirt's disk", "a.yaml", vm("disks:", "  data:", "    overrides:", "      ‸"), "errorPolicy", "size"},
	{"keys of a Service", "a.yaml", vm("services: {http: {overrides: {spec: {cl‸}}}}"), "clusterIP", "port"},
	{"keys of every VM of an overlay", "env/dev.yaml", "every:\n  ‸\n", "os flavor cpu", "every"},
	{"target", "fleet.yaml", "target:\n  ‸\n", "kubevirt argocd openshift", ""},
	{"keys of a platform", "platform.yaml", "‸\n", "layers target destination vars", ""},
}

// TestTexts checks the editor's texts about the element under the mouse. Each is the key's
// own text, without a link that leads nowhere in an editor and without a title that is the
// same everywhere.
func TestTexts(t *testing.T) {
	f := open(t, "fleet")
	for _, c := range texts {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			got := fleet{t, f.root}.told(c.file, c.text)
			text, _, _ := strings.Cut(got, "Source: [") // which the server adds
			for _, want := range c.want {
				require.Contains(t, text, want)
			}
			for _, not := range []string{".md)", ".md\\)", "#### ", "vmrender fleet", "\\`"} {
				require.NotContains(t, text, not)
			}
		})
	}
}

var texts = []struct {
	title, file, text string
	want              []string
}{
	{"memory", "a.yaml", vm("mem‸ory: 4Gi"), []string{"Guest memory: a quantity such as `16Gi`"}},
	{"guest memory", "a.yaml", vm("memory:", "  gu‸est: 4Gi"), []string{"Guest memory, for example `16Gi`"}},
	{"operating system", "a.yaml", vm("o‸s: rhel9"), []string{"Operating system: a name in the catalog"}},
	{"run strategy", "a.yaml", vm("run‸Strategy: Halted"), []string{"Run strategy. Defaults to Always"}},
	{"lifecycle", "a.yaml", vm("life‸cycle: pet"), []string{"`pet` (updated in place, the default)"}},
	{"protection", "a.yaml", vm("lifecycle:", "  protec‸tion: full"), []string{"Whether Argo CD protects the VM"}},
	{"removal", "a.yaml", vm("lifecycle:", "  remo‸val: denied"), []string{"removed from Git"}},
	{"size of a disk", "a.yaml", vm("disks:", "  data:", "    si‸ze: 4Gi"), []string{"Size, a quantity such as `120Gi`"}},
	{"network", "a.yaml", vm("nics:", "  - netw‸ork: servers"), []string{"Network: `pod`, a name in the catalog"}},
	{"defaults", "fleet.yaml", "def‸aults:\n  os: rhel9\n", []string{"VM keys that every VM of the fleet inherits"}},
	{"gate", "fleet.yaml", "policy:\n  appr‸ove: live\n", []string{"Level of impact"}},
	{"key of KubeVirt", "a.yaml", vm(domain + "dev‸ices: {}"), []string{"Devices"}},
}
