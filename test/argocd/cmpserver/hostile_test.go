package cmpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostMemory is the most memory in bytes that cmp-server or one of its calls
// may use, whatever a repository contains.
const mostMemory = 1 << 30

// hostile returns repositories that try to do harm, by name, each with a part of
// the expected complaint.
func hostile(t *testing.T) map[string]struct{ root, complaint string } {
	all := map[string]struct{ root, complaint string }{}
	add := func(name, root, complaint string) { all[name] = struct{ root, complaint string }{root, complaint} }
	corpus := func(name string) string { return filepath.Join(repository, "test", "errors", name) }
	const header = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: hostile}\ndefaults: {os: fedora, flavor: small}\n"
	fleet := func(vms string) string {
		return tree(t, map[string]string{"fleet.yaml": header, "vms.yaml": vms})
	}

	add("aliases that multiply", corpus("yaml-alias-bomb"), "aliases make the document more than 100 times larger")
	add("templates without end", corpus("template-endless"), "takes too much work")
	add("deep nesting", corpus("yaml-nested-too-deep"), "nested")
	add("a file too large", fleet("# "+strings.Repeat("x", 33<<20)), "file is too large")
	add("replicas without end", fleet("vms: {a: {replicas: 2000000000}}"), "vms.a.replicas")
	add("a name that leaves the directory", fleet("vms: {../../../tmp/a: {}}"), `"../../../tmp/a"`)

	for complaint, target := range map[string]string{
		"vms2.yaml: symbolic link leads nowhere": "/etc/passwd", // Argo CD resolves it in the unpacked repository
		"illegal filepath in symlink":            "../../../../../../etc/passwd",
	} {
		root := fleet("vms: {a: {}}")
		require.NoError(t, os.Symlink(target, filepath.Join(root, "vms2.yaml")))
		add("a symbolic link to "+target, root, complaint)
	}
	return all
}

// A repository that tries to do harm is refused with a reason and takes a
// bounded amount of memory. Meanwhile, all others are served.
func TestHostile(t *testing.T) {
	s, err := Start(patient(t), programs, filepath.Join(repository, "plugin"))
	require.NoError(t, err)
	defer func() {
		require.Less(t, s.Close(), int64(mostMemory))
	}()
	ctx := patient(t)
	var calls sync.WaitGroup
	refusals := map[string]error{}
	var lock sync.Mutex
	cases := hostile(t)
	for name, c := range cases {
		calls.Go(func() {
			_, err := s.Generate(ctx, Application{Name: "hostile", Namespace: "prod", Root: c.root, Path: "."})
			lock.Lock()
			defer lock.Unlock()
			refusals[name] = err
		})
	}
	healthy := make([]order, 10)
	for i := range healthy {
		healthy[i] = newOrder(t, 1+i)
	}
	answers := make([][]string, len(healthy))
	errs := make([]error, len(healthy))
	for i := range healthy {
		calls.Go(func() { answers[i], errs[i] = s.Generate(ctx, healthy[i].Application) })
	}
	calls.Wait()

	for name, c := range cases {
		require.ErrorContains(t, refusals[name], c.complaint, name)
		require.Less(t, len(refusals[name].Error()), 4<<10, name)
	}
	for i, o := range healthy {
		if o.complaint != "" {
			require.EqualError(t, errs[i], refusal(o.complaint))
			continue
		}
		require.NoError(t, errs[i])
		require.Equal(t, o.rendered, objects(t, answers[i]...))
	}
	requireNothingLeft(t, s)
}

// However many mistakes a fleet has, the error stays short. It becomes part of
// the Application, which the API server stores.
func TestManyMistakes(t *testing.T) {
	var vms strings.Builder
	vms.WriteString("vms:\n")
	for i := range 20_000 {
		fmt.Fprintf(&vms, "  vm%d: {flavour: small}\n", i)
	}
	a := Application{Name: "many", Namespace: "prod", Path: ".", Root: tree(t, map[string]string{
		"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: many}\n",
		"vms.yaml":   vms.String(),
	})}
	_, err := serve(t).Generate(patient(t), a)
	require.ErrorContains(t, err, `vms.vm0.flavour: unknown key "flavour"; did you mean "flavor"?`)
	require.Less(t, len(err.Error()), 16<<10)
}
