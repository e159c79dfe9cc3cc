package source

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flatFile is the smallest usual file: one VM, eleven scalars, 300 bytes.
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

// vmFile is a file of the fleets of test/bench: one VM.
const vmFile = `vms:
  vm-000042:
    os: rhel9
    cpu: 4
    memory: 16Gi
    disks: {root: {size: 60Gi, storageClass: ceph-rbd-fast}, data0: {size: 120Gi, storageClass: ceph-rbd-fast}}
    nics: [pod, vlan2003]
    cloudInit: {user: cloud-user, sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8v1x5Yq0m2c7k3d9f4h6j8l0n2p4r]}
    vars: {team: payments}
`

const fleetFile = `# The VMs of site a
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
	"a:   # why\n  - [b, --now, -x]\nc: # nothing\nd: --e\n", flatFile, fleetFile, "", "---\n", "a: 1",
	"- 1\n- b: 2\n  c: 3\n-\n", "a: b: c\n", "a:\n\tb: 1\n", "{a: 1, b: [x, y: z]}\n",
	"a: |\n  x\n   y\n\n  z\nb: |-\n    q\n", "a: >\n  x\n", "a: &x {b: 1}\nc: *x\n<<: *x\n", "a: \"x\\ny\"\n",
	"a: 'it''s'\n", "a : 1\n", "'a': 1\n\"b\": 2\n", "? a\n: b\n", "a: x # c\nb: x#c\n", "yes: 1\n", "a: yes\n",
	"a: 0o17\nb: 12:30:45\n", "a: - b\n", "a: {{ .x }}\n", "a: 1\n...\n---\nb: 1\n", "%YAML 1.2\n---\na: 1\n",
	"a:\n- b\n- c\nd: e\n", "a:\n  b: 1\n c: 2\n", "a: x\n  y\n", "a: |\n\n  x\n \nb: 1\n", "a: 1\na: 2\n", "-1: x\n",
	"ü: ä # ö\n\"é\": [ñ, {å: ß}]\n", "a: {b: c }\nd: [ e , f ]\n", "a: [x,]\n", "a: {x}\n", "a: {b:c}\n", "a: a:b\n",
	"a: -\n", "--- a\n", "---a: b\n", "a: |\n  x\n# c\nb: 1\n", "a: |\n   x\n # c\n", "- |\n a\n- |\n  b\n",
	"a:\n  - b: |\n      x\n    c: d\n", "a: 1\n---\n---\n", " a: 1\n b: 2\n", "a: [\n  b]\n", "a: !!str 1\n", "- - - a\n",
	"a: 'x'y\n", "a: \"b\": c\n", "a: 1\n... b: 2\n", "a: 1\n...\n", "a: |\n  ...\n", "... \na: 1\n", "...a: 1\n",
	"a:\n-\n b:\n", "a:\n- b: 1\n-\n  c: 2\nd: 3\n",
}

func TestSubsetAccepts(t *testing.T) {
	for _, text := range []string{
		flatFile, vmFile, fleetFile, "- 1\n- b: 2\n  c: 3\n-\n", "{a: 1, b: [x, y]}\n", "a:\n- b\n",
		"\n# c\n---\n# d\na: {}\n",
	} {
		_, ok := (&scanner{file: &File{}, text: text, wide: true}).documents()
		require.True(t, ok, text)
	}
}

// The subset is a shortcut, not a dialect: everything else is left to the general parser.
func TestSubsetDeclines(t *testing.T) {
	for _, text := range []string{
		"", "a: b: c\n", "a: 1\na: 2\n", "true: 1\n", "a: &x 1\n", "a: >\n  x\n", "a: \"\\n\"\n", "a: 1\n b: 2\n",
		"a:\n\tb: 1\n", "<<: {a: 1}\n", "a : 1\n", "a: x\n  y\n", "a: 1\n... b: 2\n", "a: 1\n...\n",
	} {
		_, ok := (&scanner{file: &File{}, text: text}).documents()
		require.False(t, ok, text)
	}
	_, ok := (&scanner{file: &File{}, text: strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)}).documents()
	require.False(t, ok)
}

// requireAgreement reports whether a text is in the subset, after checking that
// the general parser then returns the same nodes, and no problems.
func requireAgreement(t *testing.T, data string) bool {
	t.Helper()
	file := &File{Name: "f", Data: []byte(data)}
	text, wide, ok := file.text(new(Diagnostics))
	if !ok {
		return false
	}
	fast, ok := (&scanner{file: file, text: text, wide: wide}).documents()
	if !ok {
		return false
	}
	var diags Diagnostics
	full := parseFull(file, text, &diags)
	require.Empty(t, diags.Sorted())
	require.Equal(t, full, fast)
	requireEntriesAgree(t, file, text, wide, full)
	return true
}

// requireEntriesAgree checks, for each key of the documents, that entries that are left as text are read as the
// same nodes.
func requireEntriesAgree(t *testing.T, file *File, text string, wide bool, full []*Node) {
	t.Helper()
	keys := map[string]bool{}
	for _, doc := range full {
		for i := range doc.Fields {
			keys[doc.Fields[i].Key] = true
		}
	}
	for key := range keys {
		docs, ok := (&scanner{file: file, text: text, wide: wide, apart: key}).documents()
		require.True(t, ok)
		for _, doc := range docs {
			if entries := doc.Get(key); entries != nil {
				for i := range entries.Fields {
					entries.Fields[i].Value = entries.Fields[i].Value.Read()
				}
			}
		}
		require.Equal(t, full, docs, key)
	}
}

// TestParseAgreesOnRepository proves that the subset does not change how any values file of this repository is
// read, or its problems.
func TestParseAgreesOnRepository(t *testing.T) {
	files, inSubset := 0, 0
	for _, dir := range []string{"../../examples", "../../charts", "../../test", "testdata"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(path)
			files++
			if requireAgreement(t, string(data)) {
				inSubset++
			}
			return err
		}))
	}
	t.Logf("%d of %d files are in the subset", inSubset, files)
	require.Greater(t, inSubset, files/2)
}

func TestParseAgrees(t *testing.T) {
	for _, s := range seeds {
		requireAgreement(t, s)
		requireAgreement(t, strings.TrimSuffix(s, "\n"))
		requireAgreement(t, strings.ReplaceAll(s, "\n", "\r\n"))
	}
}

// The cost of a small file is mostly allocations: nodes, fields, documents.
func TestParseAllocations(t *testing.T) {
	file := &File{Name: "f", Data: []byte(flatFile)}
	var diags Diagnostics
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { Parse(file, &diags) }), 3.0)
}

// Memory use must not depend on how a fleet is divided into documents and maps.
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
	f.Fuzz(func(t *testing.T, text string) { requireAgreement(t, text) })
}

// tokens are the parts of YAML that mean something to either parser. Texts made of them reach more of both
// parsers than arbitrary bytes.
var tokens = []string{
	"a", "b", "key: ", "a:", ":", ": ", "- ", "-", "\n", "\n  ", "\n    ", " ", "  ", "[", "]", "{", "}", ",",
	", ", "\"", "'", "#", " # c", "|", "|-", "|+", "|2", ">", "&x ", "*x", "!!str ", "!t ", "? ", "?", "---",
	"...", "\n---\n", "\n...\n", "\n--- ", "\n... ", "%YAML 1.2\n", "\t", "\r\n", "1", "-1", "0x1f", "1.5", "~",
	"null", "true", "yes", "<<: ", "\"a\"", "'b'", "\"a\": ", "\\n", "@", "`", "%", "é", "日: ", "\ufeff", "--x",
	"/a", ".", "$", "+", "<", "=", "(", "^", "!", "a b", "x: [y]\n", "\nkey: |\n  text\n", "{a: b}", "[a, b]",
	"[]", "{}", "''", "\n- ", "\n  - ", "\n\n", "{?a: b}",
}

// FuzzParseAgreesOnTokens takes each byte as the number of a token.
func FuzzParseAgreesOnTokens(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, 1+random.IntN(16))
		for i := range text {
			text[i] = byte(random.IntN(len(tokens)))
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, numbers []byte) {
		var b strings.Builder
		for _, n := range numbers {
			b.WriteString(tokens[int(n)%len(tokens)])
		}
		requireAgreement(t, b.String())
	})
}

func BenchmarkParseSubset(b *testing.B) { benchmarkParse(b, flatFile, Parse) }

func BenchmarkParseSubsetFleet(b *testing.B) { benchmarkParse(b, fleetFile, Parse) }

func BenchmarkParseSubsetVM(b *testing.B) { benchmarkParse(b, vmFile, Parse) }

func BenchmarkParseFull(b *testing.B) { benchmarkParse(b, flatFile, parseOnlyFull) }

func BenchmarkParseFullVM(b *testing.B) { benchmarkParse(b, vmFile, parseOnlyFull) }

func parseOnlyFull(f *File, d *Diagnostics) []*Node { return parseFull(f, string(f.Data), d) }

func benchmarkParse(b *testing.B, text string, parse func(*File, *Diagnostics) []*Node) {
	file := &File{Name: "f", Data: []byte(text)}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var diags Diagnostics
		parse(file, &diags)
	}
}
