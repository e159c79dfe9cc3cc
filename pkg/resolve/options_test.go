package resolve_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

func TestSet(t *testing.T) {
	dir := fleettest.Dir(t, `-- _defaults.yaml --
vars: {a: directory, deep: {x: 1, y: 2}}
-- x.yaml --
vars: {a: file}
vms:
  it:
    vars: {a: vm, list: [1]}
    annotations:
      a: "{{ .vars.a }}"
      deep: "{{ .vars.deep.x }}{{ .vars.deep.y }}"
      t: "{{ .vars.t | default false | ternary 1 2 }}"
`)
	for set, want := range map[string]map[string]string{
		"":                        {"a": "vm", "deep": "12", "t": "?"},
		"a=set t=true":            {"a": "set", "deep": "12", "t": "1"},
		"a=x a=y t=false":         {"a": "y", "deep": "12", "t": "2"},
		"deep.x=9 t=true":         {"a": "vm", "deep": "92", "t": "1"},
		"a=b=c t=true":            {"a": "b=c", "deep": "12", "t": "1"},
		"a= t=true":               {"a": "", "deep": "12", "t": "1"},
		"deep.x=01 a=null t=true": {"a": "null", "deep": "012", "t": "1"},
	} {
		t.Run(set, func(t *testing.T) {
			f, diags := inventory.Load(dir, fleet.Options{Set: strings.Fields(set)})
			if set == "" {
				require.Contains(t, fleettest.Problems(diags, dir)[0], `missing variable "t"`)
				return
			}
			require.Empty(t, fleettest.Problems(diags, dir))
			require.Equal(t, want, f.Machines[0].Annotations)
		})
	}
	for _, bad := range []string{"a", "=b", ".a=b", "a.=b", "a..b=c"} {
		_, problems := fleettest.Names(t, dir, dir, fleet.Options{Set: []string{bad, "t=true"}})
		require.Len(t, problems, 1, bad)
		require.Contains(t, problems[0], "--set: invalid option")
	}
}

func TestOverlays(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
vms: {a: {cpu: 2, nics: [pod]}, b: {}, pool: {replicas: 2}}
-- .one.yaml --
defaults: {namespace: stage, labels: {stage: one}}
identity: {macPrefix: "02:a1:b2"}
placement: {nodeSelector: {stage: one}}
vms: {a: {memory: 8Gi}, b: null, pool: {replicas: 1}}
-- .two.yaml --
defaults: {labels: {also: two}}
vms: {a: {cpu: 3}, pool: ~}
-- .again.yaml --
vms: {b: {cpu: 4}}
-- .wrong.yaml --
target: {kubevirt: latest}
identity: {macPrefix: "03:a1:b2"}
vms: {c: {}}
-- .ignore.yaml --
ignore: [../x]
-- .type.yaml --
vms: {a: 5}
-- .empty.yaml --
-- .list.yaml --
- x
-- .two-documents.yaml --
vms: {}
---
vms: {}
`)
	load := func(names ...string) (map[string]*machine.Machine, []string) {
		opts := fleet.Options{}
		for _, name := range names {
			opts.Overlays = append(opts.Overlays, dir+"/."+name+".yaml")
		}
		f, diags := inventory.Load(dir, opts)
		machines := map[string]*machine.Machine{}
		for _, m := range f.Machines {
			machines[m.Namespace+"/"+m.Name] = m
		}
		return machines, fleettest.Problems(diags, dir)
	}

	machines, problems := load("one")
	require.Empty(t, problems)
	require.Len(t, machines, 2)
	a := machines["stage/a"]
	require.Equal(t, "8Gi", a.Memory.Guest)
	require.EqualValues(t, 2, a.CPU.Sockets)
	require.Equal(t, map[string]string{"stage": "one"}, a.Labels)
	require.Equal(t, map[string]string{"stage": "one"}, a.NodeSelector)
	require.Regexp(t, "^02:a1:b2:", a.NICs[0].MAC)
	require.Contains(t, machines, "stage/pool-0")

	machines, problems = load("one", "two")
	require.Empty(t, problems)
	require.Len(t, machines, 1)
	require.Equal(t, map[string]string{"stage": "one", "also": "two"}, machines["stage/a"].Labels)
	require.EqualValues(t, 3, machines["stage/a"].CPU.Sockets)
	require.Equal(t, "8Gi", machines["stage/a"].Memory.Guest)

	machines, problems = load("one", "again")
	require.Empty(t, problems)
	require.EqualValues(t, 4, machines["stage/b"].CPU.Sockets, "a later overlay brings a VM back")

	for name, want := range map[string][]string{
		"wrong": {
			`.wrong.yaml:1:20: target.kubevirt: invalid version "latest"`,
			`.wrong.yaml:2:23: identity.macPrefix: invalid prefix "03:a1:b2"`,
			`.wrong.yaml:3:7: vms.c: unknown VM "c"`,
		},
		"ignore":        {`.ignore.yaml:1:10: ignore: "../x" leaves the fleet's root`},
		"type":          {`.type.yaml:1:10: vms.a: wrong type`},
		"none":          {".none.yaml: no such file or directory"},
		"list":          {".list.yaml:1:1: wrong type"},
		"two-documents": {".two-documents.yaml:3:1: second document"},
		"empty":         nil,
	} {
		_, problems := load(name)
		require.Len(t, problems, len(want), "%s: %v", name, problems)
		for i := range want {
			require.Contains(t, problems[i], want[i])
		}
	}
}

func TestStdin(t *testing.T) {
	load := func(text string, opts fleet.Options) ([]string, []string) {
		opts.Stdin = strings.NewReader(text)
		return fleettest.Names(t, "", "-", opts)
	}
	const vm = "{os: linux, flavor: small, disks: {root: {source: {claim: c}}}}"
	twoDocuments := "vms: {a: " + vm + "}\n---\nnamespace: other\nvms: {b: " + vm + "}\n"
	machines, problems := load(twoDocuments, fleet.Options{Namespace: "ns"})
	require.Empty(t, problems)
	require.Equal(t, []string{"ns/a", "other/b"}, machines)
	for text, want := range map[string]string{
		"":                        "<stdin>: empty file",
		"---\n":                   "<stdin>: empty file",
		"vms: {a: " + vm + "}\n":  "<stdin>:1:7: vms.a.namespace: no namespace",
		"namespace: x\nvms: {}\n": "<stdin>:2:1: vms: no VMs",
		"vms: {a: {replicas: 0, namespace: ns, os: debian12, flavor: small}}\n": "<stdin>: no VMs",
		"[]":                          "<stdin>:1:1: wrong type",
		"kind: Pod\n":                 "<stdin>:1:7: kind: a Pod is not a values file",
		strings.Repeat("#", 32<<20+1): "<stdin>: the file has 33554433 bytes",
	} {
		_, problems := load(text, fleet.Options{})
		require.Len(t, problems, 1, want)
		require.Contains(t, problems[0], want)
	}
	_, problems = fleettest.Names(t, "", "-", fleet.Options{Stdin: iotest.ErrReader(errors.New("broken pipe"))})
	require.Equal(t, []string{"<stdin>: broken pipe"}, problems)
	_, problems = fleettest.Names(t, "", "-", fleet.Options{})
	require.Equal(t, []string{"<stdin>: there is no standard input"}, problems)
}

// TestYAML shows the supported YAML syntax for repeated content.
func TestYAML(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
vms:
  a: &a {cpu: 2, labels: &l {x: "1"}}
  b: *a
  c: {<<: *a, cpu: 3, labels: {<<: *l, y: "2"}}
---
namespace: second
vms: {a: {}}
---
---
defaults: {cpu: 5}
vms: {d: {}}
`)
	f, diags := inventory.Load(dir, fleet.Options{})
	require.Empty(t, fleettest.Problems(diags, dir))
	var got []string
	for _, m := range f.Machines {
		got = append(got, fmt.Sprint(m.Namespace, "/", m.Name, " ", m.CPU.Sockets, " ", m.Labels))
	}
	require.Equal(t, []string{
		"ns/a 2 map[x:1]", "ns/b 2 map[x:1]", "ns/c 3 map[x:1 y:2]", "ns/d 5 map[]", "second/a 1 map[]",
	}, got)
}

// TestLargeFile proves that no VM is lost from a file that is read in parts.
func TestLargeFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("vms:\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "  vm%04d: {cpu: %d}\n", i, 1+i%4)
	}
	for _, jobs := range []int{1, 4} {
		f, diags := inventory.Load(fleettest.Dir(t, "-- x.yaml --\n"+text.String()), fleet.Options{Jobs: jobs})
		require.Zero(t, diags.Len())
		require.Len(t, f.Machines, 2000)
		for i, m := range f.Machines {
			require.Equal(t, fmt.Sprintf("vm%04d", i), m.Name)
			require.EqualValues(t, 1+i%4, m.CPU.Sockets)
		}
	}
}
