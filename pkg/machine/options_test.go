package machine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

// files returns the directory of a fleet with a default header and the files of an
// archive.
func files(t *testing.T, archive string) string {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	a.Files = append([]txtar.File{{Name: "fleet.yaml", Data: []byte(plainHeader)}}, a.Files...)
	return unpack(t, a)
}

func TestSelection(t *testing.T) {
	dir := files(t, `-- x.yaml --
vms: {a: {}, pool: {replicas: 2}, pool-1x: {}}
-- y.yaml --
namespace: other
vms: {a: {}, b: {dependsOn: [a]}}
`)
	for vms, want := range map[string]string{
		"":                "ns/a ns/pool-0 ns/pool-1 ns/pool-1x other/a other/b",
		"a":               "ns/a other/a",
		"ns/a":            "ns/a",
		"other/a,b":       "other/a other/b",
		"pool":            "ns/pool-0 ns/pool-1",
		"pool-1":          "ns/pool-1",
		"ns/pool":         "ns/pool-0 ns/pool-1",
		"ns/pool-1x":      "ns/pool-1x",
		"none,a":          `unknown VM "none"`,
		"other/pool":      `unknown VM "other/pool"`,
		"ns/a,pool-2":     `unknown VM "pool-2"; did you mean "pool-0"?`,
		"nowhere/a,other": `unknown VM "nowhere/a"`,
	} {
		t.Run(vms, func(t *testing.T) {
			var opts fleet.Options
			if vms != "" {
				opts.VMs = strings.Split(vms, ",")
			}
			machines, problems := part(t, dir, dir, opts)
			if strings.HasPrefix(want, "unknown") {
				require.NotEmpty(t, problems)
				require.Contains(t, strings.Join(problems, "\n"), want)
				return
			}
			require.Empty(t, problems)
			require.ElementsMatch(t, strings.Fields(want), machines)
		})
	}
}

// TestOrder proves that VMs are sorted by wave, then namespace, then name.
func TestOrder(t *testing.T) {
	dir := files(t, "-- x.yaml --\nvms: {z: {}, b: {dependsOn: [z]}, a: {wave: -1}, c: {namespace: aa, wave: 1}}\n")
	machines, problems := part(t, dir, dir, fleet.Options{})
	require.Empty(t, problems)
	require.Equal(t, []string{"ns/a", "ns/z", "aa/c", "ns/b"}, machines)
}

func TestSet(t *testing.T) {
	dir := files(t, `-- _defaults.yaml --
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
				require.Contains(t, relative(diags, dir)[0], `missing variable "t"`)
				return
			}
			require.Empty(t, relative(diags, dir))
			require.Equal(t, want, f.Machines[0].Annotations)
		})
	}
	for _, bad := range []string{"a", "=b", ".a=b", "a.=b", "a..b=c"} {
		_, problems := part(t, dir, dir, fleet.Options{Set: []string{bad, "t=true"}})
		require.Len(t, problems, 1, bad)
		require.Contains(t, problems[0], "--set: invalid option")
	}
}

func TestOverlays(t *testing.T) {
	dir := files(t, `-- x.yaml --
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
		return machines, relative(diags, dir)
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
		return part(t, "", "-", opts)
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
	_, problems = part(t, "", "-", fleet.Options{Stdin: iotest.ErrReader(errors.New("broken pipe"))})
	require.Equal(t, []string{"<stdin>: broken pipe"}, problems)
	_, problems = part(t, "", "-", fleet.Options{})
	require.Equal(t, []string{"<stdin>: there is no standard input"}, problems)
}

func TestEmptyFleets(t *testing.T) {
	for header, want := range map[string]string{
		"": "fleet.yaml: no VMs; if the fleet is meant to be empty, set " +
			"`allowEmpty: true` in fleet.yaml",
		"vms: {}\n":                                   "fleet.yaml:6:1: vms: no VMs",
		"vms: {a: {replicas: 0}}\n":                   "fleet.yaml: no VMs",
		"allowEmpty: true\n":                          "",
		"allowEmpty: true\nvms: {}\n":                 "",
		"allowEmpty: true\nvms: ~\n":                  "",
		"allowEmpty: true\nvms: {a: {replicas: 0}}\n": "",
	} {
		dir := unpack(t, txtar.Parse([]byte("-- fleet.yaml --\n"+plainHeader+header)))
		_, problems := part(t, dir, dir, fleet.Options{})
		if want == "" {
			require.Empty(t, problems, header)
			continue
		}
		require.Len(t, problems, 1, header)
		require.Contains(t, problems[0], want)
	}
}

// TestYAML shows the supported YAML syntax for repeated content.
func TestYAML(t *testing.T) {
	dir := files(t, `-- x.yaml --
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
	require.Empty(t, relative(diags, dir))
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
		f, diags := inventory.Load(files(t, "-- x.yaml --\n"+text.String()), fleet.Options{Jobs: jobs})
		require.Zero(t, diags.Len())
		require.Len(t, f.Machines, 2000)
		for i, m := range f.Machines {
			require.Equal(t, fmt.Sprintf("vm%04d", i), m.Name)
			require.EqualValues(t, 1+i%4, m.CPU.Sockets)
		}
	}
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
