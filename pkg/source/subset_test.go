package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flatFile is the smallest usual file: one machine, eleven scalars, 300 bytes.
const flatFile = `name: vm-00042
os: rhel9
cores: 4
memory: 16Gi
rootDisk: 60Gi
dataDisk: 120Gi
storageClass: ocs-storagecluster-ceph-rbd-virtualization
network: vlan2003
team: payments
user: cloud-user
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8v1x5Yq0m2c7k3d9f4h6j8l0n2p4r6t8v0x2z4B6D8 team@example.org
`

const fleetFile = `# The machines of site a
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site-a}
target: {kubevirt: "1.6", argocd: '3.2', openshift: true}
defaults:
  namespace: default   # where they live

  lifecycle: {type: pet, keepDisks: true, ansible: {template: patch-rhel, extraVars: {}}}
vms:
  web01:
    os: rhel9
    nics: [pod, vlan2003, default/prod]
    disks:
      root: 40Gi
      data0: {size: 120Gi, storageClass: ceph, source: {http: "http://example.org/a.qcow2"}}
    tolerations:
    - key: a
      operator: Exists
    -
      key: b
    - - x
      - y
    cloudInit:
      runcmd: []
      userData: |
        #cloud-config
        runcmd:
          - [echo, "a\tb"]

        final: true

      networkData: |-
        version: 2
  "db 01":
    wave: -3
    load: 1.5
    mac: 02:00:00:00:00:01
    note: größer – ok # ümlaut
    none:
    gone: null
  web02:
---
vms:
  third: {os: fedora}
`

var seeds = []string{
	"a:   # why\n  - [b, --now, -x]\nc: # nothing\nd: --e\n",
	flatFile, fleetFile, "", "---\n", "a: 1", "- 1\n- b: 2\n  c: 3\n-\n", "a: b: c\n", "a:\n\tb: 1\n", "{a: 1, b: [x, y: z]}\n",
	"a: |\n  x\n   y\n\n  z\nb: |-\n    q\n", "a: >\n  x\n", "a: &x {b: 1}\nc: *x\n<<: *x\n", "a: \"x\\ny\"\n", "a: 'it''s'\n",
	"a : 1\n", "'a': 1\n\"b\": 2\n", "? a\n: b\n", "a: x # c\nb: x#c\n", "yes: 1\n", "a: yes\n", "a: 0o17\nb: 12:30:45\n", "a: - b\n", "a: {{ .x }}\n",
	"a: 1\n...\n---\nb: 1\n", "%YAML 1.2\n---\na: 1\n", "a:\n- b\n- c\nd: e\n", "a:\n  b: 1\n c: 2\n", "a: x\n  y\n", "a: |\n\n  x\n \nb: 1\n",
	"a: 1\na: 2\n", "-1: x\n", "ü: ä # ö\n\"é\": [ñ, {å: ß}]\n", "a: {b: c }\nd: [ e , f ]\n", "a: [x,]\n", "a: {x}\n", "a: {b:c}\n", "a: a:b\n", "a: -\n", "--- a\n", "---a: b\n",
	"a: |\n  x\n# c\nb: 1\n", "a: |\n   x\n # c\n", "- |\n a\n- |\n  b\n", "a:\n  - b: |\n      x\n    c: d\n", "a: 1\n---\n---\n", " a: 1\n b: 2\n", "a: [\n  b]\n", "a: !!str 1\n", "- - - a\n", "a: 'x'y\n", "a: \"b\": c\n",
}

func TestSubsetAccepts(t *testing.T) {
	for _, text := range []string{flatFile, fleetFile, "- 1\n- b: 2\n  c: 3\n-\n", "{a: 1, b: [x, y]}\n", "a:\n- b\n", "\n# c\n---\n# d\na: {}\n"} {
		_, ok := parseSubset(&File{}, text, true, MaxDepth)
		require.True(t, ok, text)
	}
}

// The subset is a shortcut, not a dialect: what it does not know is left to the general parser.
func TestSubsetDeclines(t *testing.T) {
	for _, text := range []string{"", "a: b: c\n", "a: 1\na: 2\n", "true: 1\n", "a: &x 1\n", "a: >\n  x\n", "a: \"\\n\"\n", "a: 1\n b: 2\n", "a:\n\tb: 1\n", "<<: {a: 1}\n", "a : 1\n", "a: x\n  y\n"} {
		_, ok := parseSubset(&File{}, text, false, MaxDepth)
		require.False(t, ok, text)
	}
	_, ok := parseSubset(&File{}, strings.Repeat("[", 3)+strings.Repeat("]", 3), false, 2)
	require.False(t, ok)
}

func requireAgreement(t *testing.T, data string) {
	file := &File{Name: "f", Data: []byte(data)}
	text, wide, ok := file.text(new(Diagnostics))
	if !ok {
		return
	}
	fast, ok := parseSubset(file, text, wide, MaxDepth)
	if !ok {
		return
	}
	var diags Diagnostics
	full := parseFull(file, text, MaxDepth, &diags)
	require.Empty(t, diags.Sorted())
	require.Equal(t, full, fast)
}

func TestParseAgrees(t *testing.T) {
	for _, s := range seeds {
		requireAgreement(t, s)
		requireAgreement(t, strings.TrimSuffix(s, "\n"))
		requireAgreement(t, strings.ReplaceAll(s, "\n", "\r\n"))
	}
}

// The cost of a small file is mostly its allocations: nodes, fields, documents.
func TestParseAllocations(t *testing.T) {
	file := &File{Name: "f", Data: []byte(flatFile)}
	var diags Diagnostics
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { Parse(file, &diags) }), 3.0)
}

// Memory must not depend on how a fleet is cut into documents and maps.
func TestParseManyMachines(t *testing.T) {
	var one, many strings.Builder
	one.WriteString("vms:\n")
	for i := range 5000 {
		fmt.Fprintf(&one, "  vm%d: {os: rhel9, disks: {root: 40Gi}}\n", i)
		fmt.Fprintf(&many, "---\nvms:\n  vm%d: {os: rhel9, disks: {root: 40Gi}}\n", i)
	}
	for _, text := range []string{one.String(), many.String()} {
		file, docs := &File{Data: []byte(text)}, 0
		allocs := testing.AllocsPerRun(3, func() { docs = len(Parse(file, new(Diagnostics))) })
		require.Less(t, allocs, 500.0)
		require.Contains(t, []int{1, 5000}, docs)
		requireAgreement(t, text)
	}
}

func FuzzParseAgrees(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(requireAgreement)
}

func BenchmarkParseSubset(b *testing.B) { benchmarkParse(b, flatFile, Parse) }

func BenchmarkParseSubsetFleet(b *testing.B) { benchmarkParse(b, fleetFile, Parse) }

func BenchmarkParseFull(b *testing.B) {
	benchmarkParse(b, flatFile, func(f *File, d *Diagnostics) []*Node { return parseFull(f, string(f.Data), MaxDepth, d) })
}

func benchmarkParse(b *testing.B, text string, parse func(*File, *Diagnostics) []*Node) {
	file := &File{Name: "f", Data: []byte(text)}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var diags Diagnostics
		parse(file, &diags)
	}
}
