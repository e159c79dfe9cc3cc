package held_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/source"
)

const (
	token = "1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"
	other = "none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"

	vm = `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"db","namespace":"prod",` +
		`"annotations":{"a":"1","z":"2"}},"spec":{"x":"yes","q":1.50,"m":"0x10","l":[{"a":null},[],{}],"t":"a\n b\n"}}`
	disk = `{"apiVersion":"cdi.kubevirt.io/v1beta1","kind":"DataVolume","metadata":{"name":"db","namespace":"prod"}}`
)

func some() *held.File {
	return &held.File{
		Namespace: "prod", Name: "db", Level: "recreate", Why: []string{"cpu: more", "disks: \"two\""},
		Approvals: []held.Approval{{Risk: "restart", Token: token}, {Risk: "delete", Token: token}},
	}
}

// write writes a file with manifests, and returns its path.
func write(t *testing.T, f *held.File, name string, manifests ...string) string {
	t.Helper()
	all := make([][]byte, len(manifests))
	for i, m := range manifests {
		all[i] = []byte(m)
	}
	text, err := f.Encode(all)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// A file is read as it was written, with every character of its manifests.
func TestFileIsRead(t *testing.T) {
	want := some()
	path := write(t, want, "prod.db.yaml", disk, vm)
	var diags source.Diagnostics
	got := held.Read(path, &diags)
	require.Empty(t, diags.Sorted())
	require.Len(t, got.Manifests, 2)
	require.True(t, bytes.Equal([]byte(vm), source.AppendJSON(nil, got.Manifests[1])))
	require.Equal(t, "recreate restart="+token+",delete="+token, got.Annotation())
	require.Equal(t, "approve: {restart: "+token+", delete: "+token+"}", held.Line(got.Approvals))
	require.Equal(t, "2", got.MachineAnnotation("z"))
	require.Equal(t, path, got.Pos().File)
	got.Manifests, got.Path = nil, ""
	require.Equal(t, want, got)
	from, to := got.Ends()
	require.Equal(t, token, from+"-"+to)
	level, approvals := held.Split(got.Annotation())
	require.Equal(t, got.Level, level)
	require.Equal(t, got.Approvals, approvals)
}

// The line for a restart alone is the short form, as that of the gate.
func TestLine(t *testing.T) {
	require.Equal(t, "approve: "+token, held.Line([]held.Approval{{Risk: "restart", Token: token}}))
	require.Equal(t, "approve: {data: "+token+"}", held.Line([]held.Approval{{Risk: "data", Token: token}}))
}

// What is not as it was written is refused, with its place and what to do.
func TestFileRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change [2]string
		file   string
		want   string
	}{
		"a field":              {[2]string{"q: 1.50", "q: 2.50"}, "", "digest: the file has changed since"},
		"a kind of value":      {[2]string{`x: "yes"`, "x: true"}, "", "digest: the file has changed since"},
		"a manifest":           {[2]string{"kind: DataVolume", "kind: Secret"}, "", "digest: the file has changed since"},
		"the level":            {[2]string{"level: recreate", "level: live"}, "", "digest: the file has changed since"},
		"an approval":          {[2]string{",delete=" + token, ""}, "", "digest: the file has changed since"},
		"no digest":            {[2]string{"digest:", "dijest:"}, "", "digest: the file has changed since"},
		"another kind":         {[2]string{"kind: HeldVM", "kind: Fleet"}, "", "kind: expected HeldVM of"},
		"another version":      {[2]string{"vmrender.io/v1alpha1", "v1"}, "", "kind: expected HeldVM of"},
		"not YAML":             {[2]string{"level:", "level: ["}, "", "; run `vmrender hold`, which writes it"},
		"a conflict of Git":    {[2]string{"level:", "<<<<<<< main\nlevel:"}, "", "; run `vmrender hold`, which writes it"},
		"the name of another":  {[2]string{"", ""}, "prod.web.yaml", "of the VM prod/db; expected the name prod.db.yaml"},
		"another order of two": {[2]string{"a: \"1\"\n    z: \"2\"", "z: \"2\"\n    a: \"1\""}, "", "digest: the file has"},
	} {
		t.Run(name, func(t *testing.T) {
			file := c.file
			if file == "" {
				file = "prod.db.yaml"
			}
			path := write(t, some(), file, disk, vm)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			changed := strings.Replace(string(text), c.change[0], c.change[1], 1)
			require.True(t, c.file != "" || changed != string(text), "nothing changed in\n%s", text)
			require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
			var diags source.Diagnostics
			require.Nil(t, held.Read(path, &diags))
			require.Len(t, diags.Sorted(), 1)
			require.Contains(t, diags.Sorted()[0].String(), c.want)
			require.Contains(t, diags.Sorted()[0].String(), "run `vmrender hold`")
		})
	}
	var diags source.Diagnostics
	require.Nil(t, held.Read("no-such-file", &diags))
	require.True(t, diags.HasErrors())
}

// Comments and the layout are not part of what is checked.
func TestLayoutIsFree(t *testing.T) {
	path := write(t, some(), "prod.db.yaml", vm)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("# more\n\n"+string(text)), 0o600))
	var diags source.Diagnostics
	require.NotNil(t, held.Read(path, &diags), diags.Sorted())
}

// A file holds the VM that it names, for approvals of one change.
func TestFileNotWritten(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(*held.File)
		manifests []string
		want      string
	}{
		"no manifests":      {nil, nil, "no manifests"},
		"no VM":             {nil, []string{disk}, "no VirtualMachine or VirtualMachinePool prod/db"},
		"another VM":        {func(f *held.File) { f.Name = "web" }, []string{vm}, "VirtualMachinePool prod/web"},
		"another namespace": {func(f *held.File) { f.Namespace = "x" }, []string{vm}, "VirtualMachinePool x/db"},
		"no token":          {func(f *held.File) { f.Approvals[0].Token = "x" }, []string{vm}, `"x" is not a token`},
		"two tokens":        {func(f *held.File) { f.Approvals[1].Token = other }, []string{vm}, "is not a token"},
	} {
		t.Run(name, func(t *testing.T) {
			f := some()
			if c.change != nil {
				c.change(f)
			}
			all := make([][]byte, len(c.manifests))
			for i, m := range c.manifests {
				all[i] = []byte(m)
			}
			_, err := f.Encode(all)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The annotation of a held VM is added in the order of the keys, and removed without a trace.
func TestAnnotation(t *testing.T) {
	for _, text := range []string{
		vm, strings.Replace(vm, `,"annotations":{"a":"1","z":"2"}`, "", 1),
		strings.Replace(vm, `"a":"1",`, "", 1), strings.Replace(vm, `,"z":"2"`, "", 1),
	} {
		m := source.Parse(&source.File{Data: []byte(text)}, new(source.Diagnostics))[0]
		with := held.Annotated(m, "m", "held \"1\"")
		require.Equal(t, `held "1"`, with.Get("metadata", "annotations", "m").Str())
		require.Equal(t, text, string(source.AppendJSON(nil, m)))
		require.Equal(t, text, string(source.AppendJSON(nil, held.Bare(with, "m"))))
		keys := []string{}
		for _, f := range with.Get("metadata", "annotations").Fields {
			keys = append(keys, f.Key)
		}
		require.IsIncreasing(t, append([]string{""}, keys...))
	}
}

// A label gets another value where it is, and is not added.
func TestRelabeled(t *testing.T) {
	text := strings.Replace(vm, `"annotations"`, `"labels":{"a":"1","b":"2"},"annotations"`, 1)
	m := source.Parse(&source.File{Data: []byte(text)}, new(source.Diagnostics))[0]
	want := strings.Replace(text, `"b":"2"`, `"b":"3"`, 1)
	require.True(t, bytes.Equal([]byte(want), source.AppendJSON(nil, held.Relabeled(m, "b", "3"))))
	require.True(t, bytes.Equal([]byte(text), source.AppendJSON(nil, held.Relabeled(m, "c", "3"))))
}

// What a VM is made of, and what acts on it, is held; what others see of it is not.
func TestHolds(t *testing.T) {
	for kind, want := range map[string]bool{
		"kubevirt.io/VirtualMachine": true, "pool.kubevirt.io/VirtualMachinePool": true, "cdi.kubevirt.io/DataVolume": true,
		"/PersistentVolumeClaim": true, "tower.ansible.com/AnsibleJob": true, "batch/Job": true,
		"snapshot.kubevirt.io/VirtualMachineRestore": true, "example.com/Unknown": true,
		"/Secret": false, "/ConfigMap": false, "/Service": false, "route.openshift.io/Route": false,
		"networking.k8s.io/Ingress": false,
	} {
		group, name, _ := strings.Cut(kind, "/")
		require.Equal(t, want, held.Holds(group, name), kind)
	}
}

func FuzzRead(f *testing.F) {
	text, err := some().Encode([][]byte{[]byte(disk), []byte(vm)})
	require.NoError(f, err)
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "prod.db.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		var diags source.Diagnostics
		if file := held.Read(path, &diags); file == nil {
			require.True(t, diags.HasErrors())
		} else {
			require.NotEmpty(t, file.Manifests)
			require.NotEmpty(t, file.Approvals)
		}
	})
}
