package adopt_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/manifest"
)

const corpus = "testdata/corpus"

// params are the parameters of the corpus's templates that have no default.
var params = map[string]string{"NAME": "from-template", "CLOUD_USER_PASSWORD": "correct-horse"}

// read returns the objects in manifest files, with templates filled in.
func read(t *testing.T, paths ...string) []manifest.Object {
	t.Helper()
	var all []manifest.Object
	for _, path := range paths {
		objects, err := manifest.ReadFiles(path)
		require.NoError(t, err)
		all = append(all, objects...)
	}
	all, problems := exports.Expand(all, params)
	for _, p := range problems {
		require.Contains(t, p.Text, "no template has the parameter")
	}
	return all
}

func files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(corpus)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(entries), 100)
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(corpus, e.Name()))
	}
	return out
}

// refused are the VMs of the corpus that no fleet can contain, with the reasons.
var refused = map[string]string{
	"finance/ora19c":            `the Helm release "ora19c" manages it`,
	"shop/tracked":              `the Argo CD Application "old-shop" manages it`,
	"shop/web-pool-0":           `the VirtualMachinePool "web-pool" owns it`,
	"default/web01.example.org": "cannot be that of an entry",
	"ci/going":                  "it is being deleted",
}

// TestCorpus imports all VMs into one fleet. Each is rendered unchanged, without a patch
// at an index of a list, and the median entry is at most a fifth of its manifest.
func TestCorpus(t *testing.T) {
	r, err := adopt.Import(read(t, files(t)...), adopt.Options{Name: "corpus"})
	require.NoError(t, err)
	requireExact(t, r)
	var shares []float64
	for _, m := range r.Machines {
		if m.Refused == "" {
			shares = append(shares, float64(m.Lines)/float64(m.ManifestLines))
		}
	}
	slices.Sort(shares)
	require.LessOrEqual(t, shares[len(shares)/2], 0.2)
	for _, f := range r.Files {
		require.NotRegexp(t, indexed, string(f.Text), f.Path)
	}
}

// TestCorpusAlone imports each file into a fleet of its own: it undoes at most one default for each VM, patches no
// index of a list, and the median entry is at most a quarter of its manifest without status and managed fields.
func TestCorpusAlone(t *testing.T) {
	var shares []float64
	for _, path := range files(t) {
		r, err := adopt.Import(read(t, path), adopt.Options{Name: "alone"})
		require.NoError(t, err)
		requireExact(t, r)
		entries, manifests, imported, nulls := 0, 0, 0, 0
		long := specLines(t, read(t, path))
		for _, m := range r.Machines {
			if m.Refused == "" {
				entries, manifests, imported = entries+m.Lines, manifests+long[m.Name], imported+1
			}
		}
		for _, f := range r.Files {
			require.NotRegexp(t, indexed, string(f.Text), path)
			nulls += len(null.FindAllString(string(f.Text), -1))
		}
		require.LessOrEqual(t, nulls, imported, "%s: an entry undoes what it is given", path)
		if imported > 0 {
			shares = append(shares, float64(entries)/float64(manifests))
		}
	}
	slices.Sort(shares)
	require.LessOrEqual(t, shares[len(shares)/2], 0.25)
}

// specLines returns the lines of the manifests of VMs, by name, without status and managed fields.
func specLines(t *testing.T, objects []manifest.Object) map[string]int {
	t.Helper()
	lines := map[string]int{}
	for _, o := range objects {
		tree := manifest.Decode(o.JSON)
		delete(tree, "status")
		delete(manifest.Map(tree, "metadata"), "managedFields")
		lines[o.Name] = bytes.Count(manifest.AppendYAML(nil, manifest.Bytes(tree)), []byte("\n"))
	}
	return lines
}

// indexed matches a patch at an index of a list.
var indexed = regexp.MustCompile(`path: "?/\S*/\d+(/|\s|,|}|")`)

// null matches what takes a default away.
var null = regexp.MustCompile(`: null\b`)

// TestAlike checks that what ten VMs of one kind share is said once: of each file with one VM, ten copies are imported,
// and the median entry is at most a tenth of its manifest without status and managed fields.
func TestAlike(t *testing.T) {
	most := map[string]float64{ // of those that are common
		"01-console-rhel9.yaml": 0.08, "02-console-fedora-instancetype.yaml": 0.07, "03-windows2022-sysprep.yaml": 0.1,
		"14-mtv-rhel7.yaml": 0.1, "16-mtv-five-disks.yaml": 0.11,
		"18-harvester-ubuntu.yaml": 0.12, // whose annotations name claims and the address
	}
	var shares []float64
	for _, path := range files(t) {
		ten := tenOf(t, path)
		if ten == nil {
			continue
		}
		r, err := adopt.Import(ten, adopt.Options{Name: "alike"})
		require.NoError(t, err)
		lines := specLines(t, ten)
		for _, m := range r.Machines {
			require.True(t, m.Exact(), "%s: %s %s", m.ID, m.Refused, m.Differences)
			share := float64(m.Lines) / float64(lines[m.Name])
			shares = append(shares, share)
			if limit := most[filepath.Base(path)]; limit > 0 {
				require.LessOrEqual(t, share, limit, "%s: %d of %d lines", m.ID, m.Lines, lines[m.Name])
			}
		}
	}
	require.Greater(t, len(shares), 900)
	slices.Sort(shares)
	require.LessOrEqual(t, shares[len(shares)/2], 0.1)
}

// tenOf returns ten copies of the VM of a file, or nil if it has not exactly one that can be imported.
func tenOf(t *testing.T, path string) []manifest.Object {
	t.Helper()
	var ten []manifest.Object
	for _, o := range read(t, path) {
		switch {
		case o.Kind != "VirtualMachine":
		case ten != nil || refused[cmp.Or(o.Namespace, "default")+"/"+o.Name] != "":
			return nil
		default:
			for n := range 10 {
				ten = append(ten, copied(t, o, n))
			}
		}
	}
	return ten
}

// copied returns a VM under another name, with claims and identities of its own.
func copied(t *testing.T, o manifest.Object, n int) manifest.Object {
	t.Helper()
	text := strings.ReplaceAll(string(o.JSON), o.Name, fmt.Sprintf("%s-%d", o.Name, n))
	text = claims.ReplaceAllString(text, fmt.Sprintf(`${1}-%d"`, n))
	for _, e := range identities {
		text = e.ReplaceAllString(text, fmt.Sprintf("${1}%02d${2}", n))
	}
	tree := manifest.Decode([]byte(text))
	shareMigration(tree, manifest.Decode(o.JSON), "metadata", "labels")
	shareMigration(tree, manifest.Decode(o.JSON), "spec", "template", "metadata", "labels")
	out, err := manifest.New(tree)
	require.NoError(t, err)
	return out
}

// shareMigration sets the labels that all VMs have which one plan of MTV has migrated.
func shareMigration(to, from manifest.Tree, path ...string) {
	for _, key := range []string{"migration", "plan"} {
		if value, ok := manifest.Map(from, path...)[key]; ok {
			manifest.Map(to, path...)[key] = value
		}
	}
}

var (
	claims = regexp.MustCompile(`("claimName":"[^"]*)"`)
	// identities match UUIDs, MAC addresses and serial numbers of VMware, each but for two digits.
	identities = []*regexp.Regexp{
		regexp.MustCompile(`([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{10})[0-9a-f]{2}()`),
		regexp.MustCompile(`("(?:[0-9a-f]{2}:){3})[0-9a-f]{2}((?::[0-9a-f]{2}){2})`),
		regexp.MustCompile(`(VMware-[0-9a-f -]*)[0-9a-f]{2}(")`),
	}
)

func requireExact(t *testing.T, r *adopt.Result) {
	t.Helper()
	for _, m := range r.Machines {
		name := m.Namespace + "/" + m.Name
		switch {
		case refused[name] != "":
			require.Contains(t, m.Refused, refused[name])
		case strings.HasPrefix(m.Refused, "another manifest of it"):
		default:
			require.Empty(t, m.Refused, name)
			require.Empty(t, m.Differences, name)
		}
	}
}

// TestStable checks that importing again, in another order, results in the same files.
func TestStable(t *testing.T) {
	objects := read(t, files(t)...)
	first, err := adopt.Import(objects, adopt.Options{Name: "stable"})
	require.NoError(t, err)
	for _, f := range first.Files {
		require.NotContains(t, string(f.Text), "\t")
	}
	again, err := adopt.Import(objects, adopt.Options{Name: "stable"})
	require.NoError(t, err)
	require.Equal(t, first.Files, again.Files)
}

// TestRefused checks that manifests that no cluster can contain are rejected with the
// reason. Fields that KubeVirt ignores stay unchanged.
func TestRefused(t *testing.T) {
	for name, why := range map[string]string{
		"running-stop.yaml":             `spec.running: wrong type: got a string, expected a boolean`,
		"running-and-run-strategy.yaml": "spec: both running and runStrategy; KubeVirt accepts one",
		"kind-in-template.yaml":         "",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := adopt.Import(read(t, filepath.Join("testdata/refused", name)), adopt.Options{})
			require.NoError(t, err)
			require.Len(t, r.Machines, 1)
			require.Contains(t, r.Machines[0].Refused, why)
			require.Equal(t, why == "", r.Exact(), r.Machines[0].Differences)
		})
	}
}

// TestUnknown checks that fields that the API server drops are left out, each with a warning that names it and its
// position, and that the rest of the VM is imported.
func TestUnknown(t *testing.T) {
	for name, problem := range map[string]string{
		"cpu-under-devices.yaml": `spec.template.spec.domain.devices.cpu: unknown key "cpu"; accepted: 25 names, `,
		"nested.yaml": "spec.template.spec.domain.devices.disks[1].disk.buss: " +
			`unknown key "buss"; did you mean "bus"?`,
		"newer.yaml": `spec.quantumEntanglement: unknown key "quantumEntanglement"; accepted: `,
		"spec.yaml":  `spec.runStrategi: unknown key "runStrategi"; did you mean "runStrategy"?`,
		"template.yaml": `spec.dataVolumeTemplates[0].spec.source.registry.pullMetod: ` +
			`unknown key "pullMetod"; did you mean "pullMethod"?`,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := adopt.Import(read(t, filepath.Join("testdata/unknown", name)), adopt.Options{})
			require.NoError(t, err)
			require.Len(t, r.Machines, 1)
			m := r.Machines[0]
			require.True(t, m.Exact(), "%s %s", m.Refused, m.Differences)
			require.NotEmpty(t, m.Notes)
			require.Contains(t, m.Notes[0].Text, "warning: "+problem)
			key := strings.Split(problem, `"`)[1]
			for _, f := range r.Files {
				require.NotRegexp(t, `\b`+key+`: (sata|node|Halted|\{)`, string(f.Text))
			}
		})
	}
}
