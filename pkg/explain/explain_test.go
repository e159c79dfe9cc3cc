package explain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
)

func TestExplainOne(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
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
		return strings.Join(out, " "), fleettest.Problems(diags, dir)
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
