package editor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProposals checks what is proposed at the caret, and that each proposal says in a
// few words what it is.
func TestProposals(t *testing.T) {
	f := open(t, "fleet")
	for _, c := range proposals {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			got := fleet{t, f.root}.proposed(c.file, c.text)
			for _, label := range strings.Fields(c.want) {
				require.Contains(t, got, label)
				require.NotEmpty(t, strings.TrimSpace(string(got[label].Documentation)), label)
			}
			for _, label := range strings.Fields(c.not) {
				require.NotContains(t, got, label)
			}
		})
	}
}

// vm is the text of a file with a VM that has a few lines, which are indented.
func vm(lines ...string) string {
	return "vms:\n  web01:\n    " + strings.Join(lines, "\n    ") + "\n"
}

// proposals are the labels that must be proposed, and those that must not be, by place.
// The fleet is examples/fleet, whose catalogue has entries of its own.
var proposals = []struct{ title, file, text, want, not string }{
	{"run strategy", "a.yaml", vm("runStrategy: ‸"), "Always Halted Manual", ""},
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
	{"sources of a disk", "a.yaml", vm("disks:", "  data:", "    source:", "      ‸"), "registry http pvc dataSource image", ""},
	{"keys of a NIC", "a.yaml", vm("nics:", "  - network: servers", "    ‸"), "ip mac model gateway", "network"},
	{"keys of a service", "a.yaml", vm("services:", "  http:", "    ‸"), "port targetPort protocol", ""},
	{"keys of a platform", "platform.yaml", "‸\n", "layers target destination vars", ""},
}

// TestTexts checks what the editor tells about what is under the mouse: the key's own text,
// with no link that leads nowhere in an editor, and no title that is the same everywhere.
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
	{"key of KubeVirt", "a.yaml", vm("overrides: {spec: {template: {spec: {do‸main: {}}}}}"), []string{}},
}
