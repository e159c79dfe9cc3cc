package explain_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// unpack writes the files of an archive to a temporary directory.
func unpack(t testing.TB, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, txtar.Write(a, dir))
	return dir
}

// relative returns diagnostics as lines, with paths relative to dir.
func relative(diags *source.Diagnostics, dir string) []string {
	var out []string
	for _, d := range diags.Sorted() {
		out = append(out, strings.ReplaceAll(d.String(), dir+"/", ""))
	}
	return out
}

// plainHeader is the header of a fleet without anything special.
const plainHeader = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1}
defaults: {namespace: ns, os: linux, flavor: small, disks: {root: {source: {dataSource: images/golden}}}}
`

// files returns the directory of a fleet with a default header and the files of an
// archive.
func files(t *testing.T, archive string) string {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	a.Files = append([]txtar.File{{Name: "fleet.yaml", Data: []byte(plainHeader)}}, a.Files...)
	return unpack(t, a)
}

func TestExplainOne(t *testing.T) {
	dir := files(t, `-- x.yaml --
vms: {a: {cpu: 2, nics: [pod, ns/lan]}, pool: {replicas: 2}, b: {namespace: other, labels: {}}, twin: {memory: 4Gi}}
-- y.yaml --
vms: {twin: {replicas: 2}}
`)
	explain := func(vm, key string) (string, []string) {
		values, diags := explain.VM(dir, fleet.Options{}, vm, key)
		var out []string
		for _, v := range values {
			out = append(out, v.Key+"="+v.Value)
		}
		return strings.Join(out, " "), relative(diags, dir)
	}
	for args, want := range map[string]string{
		"a nics": "nics[0]=pod nics[0].name=default nics[0].binding=masquerade nics[0].model=virtio " +
			"nics[1]=ns/lan nics[1].name=lan nics[1].binding=bridge nics[1].model=virtio",
		"a nics[1]":         "nics[1]=ns/lan nics[1].name=lan nics[1].binding=bridge nics[1].model=virtio",
		"pool-1 replicas":   "replicas=2",
		"pool replicas":     "replicas=2",
		"other/b namespace": "namespace=other",
		"b labels":          "labels={}",
		"ns/a disks.root": "disks.root.size=30Gi disks.root.source.dataSource=images/golden " +
			"disks.root.type=disk disks.root.bus=virtio disks.root.keep=true",
		"a disk":     `no value for "disk"`,
		"ns/b cpu":   `unknown VM "ns/b"`,
		"pool-x cpu": `unknown VM "pool-x"; did you mean "pool"?`,
		"c cpu":      `unknown VM "c"`,
	} {
		vm, key, _ := strings.Cut(args, " ")
		got, problems := explain(vm, key)
		if strings.Contains(want, `"`) {
			require.Len(t, problems, 1, args)
			require.Contains(t, problems[0], want)
			continue
		}
		require.Empty(t, problems, args)
		require.Equal(t, want, got)
	}
}
