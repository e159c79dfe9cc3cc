package draft

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// web is a VM with a label, for which there is a key, and a description of its machine, for which there is none.
const web = `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: elsewhere, labels: {team: a, vmrender.io/fleet: b}, annotations: {note: x}}
spec:
  runStrategy: Manual
  template:
    metadata: {labels: {team: a}}
    spec:
      domain:
        cpu: {sockets: 2, cores: 1, threads: 1}
        memory: {guest: 4Gi}
        chassis: {sku: c1}
        devices:
          disks: [{name: data, disk: {bus: scsi}}]
          interfaces: [{name: lan, bridge: {}, model: virtio}]
      networks: [{name: lan, multus: {networkName: net/lan}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: db}}]
status: {ready: true}
`

func read(t *testing.T, text string) (*Live, error) {
	t.Helper()
	objects, err := manifest.Read(strings.NewReader(text))
	require.NoError(t, err)
	return Read(objects[0], "prod")
}

// requireKey requires a key of an entry to be a text of JSON, with its keys in this order.
func requireKey(t *testing.T, e *Entry, key, want string) {
	t.Helper()
	require.Equal(t, want, string(source.AppendJSON(nil, e.Keys.Get(key))))
}

func TestDraft(t *testing.T) {
	l, err := read(t, web)
	require.NoError(t, err)
	require.Equal(t, "amd64", l.Arch())
	require.Equal(t, "bridge", l.BindingOn("lan"))

	os := OSOf(catalog.New(nil, new(source.Diagnostics)), "linux", l)
	e := New(l, os)
	e.Draft(&Names{Networks: map[string]Network{"net/lan": {Name: "office", Binding: "bridge"}}})
	require.Equal(t, "prod/web", e.Key())
	requireKey(t, e, "runStrategy", `"Manual"`)
	requireKey(t, e, "labels", `{"team":"a"}`)
	requireKey(t, e, "nics", `[{"network":"office","name":"lan","model":"virtio"}]`)
	require.Equal(t, map[string]string{"data": "root"}, e.Disks)
	require.Equal(t, map[string]int{"lan": 0}, e.NICs)
	require.Empty(t, e.Overridden())

	text, err := manifest.Encode(nil, l.Tree)
	require.NoError(t, err)
	rendered := manifest.Decode(text)
	delete(manifest.Map(rendered, "spec", "template", "spec", "domain"), "chassis")
	e.Settle(rendered)
	require.Equal(t, []string{"chassis.sku"}, e.Overridden())

	require.True(t, e.Drop("runStrategy"))
	require.False(t, e.Drop("runStrategy"), "it is gone")
}

func TestReadProblems(t *testing.T) {
	l, err := read(t, strings.Replace(web, "runStrategy", "runStrtegy", 1))
	require.NoError(t, err)
	require.Nil(t, l.VM.Spec.RunStrategy)
	require.Equal(t, []string{`spec.runStrtegy: unknown key "runStrtegy"; did you mean "runStrategy"?`}, l.Unknown)
	_, err = read(t, strings.Replace(web, "runStrategy: Manual", "runStrategy: 1", 1))
	require.ErrorContains(t, err, "spec.runStrategy: wrong type")
	_, err = read(t, "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web}, spec: {}}")
	require.EqualError(t, err, "spec.template: missing")
}

func TestDifferences(t *testing.T) {
	live := manifest.Decode([]byte(`{"spec":{"a":[1,2],"b":{"c":"x"},"d":1},"metadata":{"labels":{"l":"1"}}}`))
	rendered := manifest.Decode([]byte(`{"spec":{"a":[1],"b":{"c":"y"},"d":1},"metadata":{}}`))
	require.Equal(t, []string{
		`metadata.labels.l: "1", becomes nothing`, `spec.a: 2 entries, becomes 1 entries`, `spec.b.c: "x", becomes "y"`,
	}, Differences(live, rendered))
	require.Empty(t, Difference(live, live))
	require.Equal(t, [][]string{{"metadata", "labels", "l"}, {"spec", "a"}, {"spec", "b", "c"}},
		Leaves(Difference(live, rendered)))
	require.Nil(t, Reach(live, []string{"spec", "b", "c", "none"}))
}

func TestNumbered(t *testing.T) {
	taken := map[string]bool{"data": true, "data-2": true}
	require.Equal(t, "data-3", Numbered("data", func(name string) bool { return taken[name] }))
	require.Equal(t, "logs", Numbered("logs", func(name string) bool { return taken[name] }))
}

// What can be a secret is not shown, wherever it is.
func TestDifferencesHideSecrets(t *testing.T) {
	with := func(text string) manifest.Tree {
		probe := manifest.Tree{"name": "a", "token": text}
		return manifest.Tree{"spec": manifest.Tree{"password": text, "list": []any{probe}}}
	}
	got := Differences(with("old-secret"), with("new-secret"))
	require.Len(t, got, 2)
	for _, line := range got {
		require.NotContains(t, line, "-secret")
	}
}
