package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
)

// attack is a repository that tries to read files that it must not, or to exhaust the
// sidecar.
type attack struct {
	name     string
	files    map[string]string // of site/, by their path in it; an empty one is removed
	links    map[string]string // symbolic links in site/, by their path
	overlays []any
	want     string // part of the error
}

// canary is in a values file outside every repository. The name must appear nowhere.
const canary = "canary-7f3e"

// attacks returns the hostile repositories.
func attacks(outside string) []attack {
	const vm = "vms: {a: {os: rhel9, flavor: small}}\n"
	return []attack{
		{
			name: "link-out", links: map[string]string{"stolen.yaml": outside},
			want: "out-of-bounds symlink",
		},
		{
			name: "link-up", links: map[string]string{"stolen.yaml": "../outside.yaml"},
			want: "stolen.yaml: symbolic link leaves the fleet's root",
		},
		{
			name: "link-directory", links: map[string]string{"stolen": "../neighbour"},
			want: "stolen: symbolic link leaves the fleet's root",
		},
		{
			name: "link-loop", links: map[string]string{"loop": "."},
			want: "loop: symbolic link to a directory",
		},
		{
			name: "overlay-out", overlays: []any{"../../../../../../../../../.." + outside},
			want: "leaves the repository",
		},
		{
			name: "names", files: map[string]string{"vms.yaml": "vms: {../../../escape: {os: rhel9, flavor: small, disks: {../x: 1Gi}, namespace: ../default}}\n"},
			want: `"../../../escape"`,
		},
		{
			name: "huge", files: map[string]string{"vms.yaml": vm + "# " + strings.Repeat("x", 40<<20) + "\n"},
			want: "vms.yaml: file is too large; a file holds at most 32 MiB",
		},
		{
			name: "aliases", files: map[string]string{"vms.yaml": bomb()},
			want: "aliases make the document more than 100 times larger than it is written",
		},
		{
			name: "nesting", files: map[string]string{"vms.yaml": "vms: " + strings.Repeat("[", 1<<20)},
			want: "this is not valid YAML: exceeded max depth",
		},
		{
			name: "template-loop", files: map[string]string{"vms.yaml": "vms: {a: {os: rhel9, flavor: small, cloudInit: {userData: '{{ range until 100000000 }}{{ range until 100000000 }}x{{ end }}{{ end }}'}}}\n"},
			want: "vms.a.cloudInit.userData: template: takes too much work",
		},
		{
			name: "template-recursion", files: map[string]string{"vms.yaml": `vms: {a: {os: rhel9, flavor: small, cloudInit: {userData: '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}'}}}` + "\n"},
			want: "vms.a.cloudInit.userData: template: takes too much work",
		},
		{
			name: "replicas", files: map[string]string{"vms.yaml": "vms: {a: {os: rhel9, flavor: small, replicas: 2000000000}}\n"},
			want: "vms.a.replicas",
		},
		{
			name: "replicas-template", files: map[string]string{"vms.yaml": `vms: {a: {os: rhel9, flavor: small, replicas: 10000, cloudInit: {userData: '#cloud-config{{ repeat 1000000 "x" }}'}}}` + "\n"},
			want: "vms.a.cloudInit.userData: template: takes too much work",
		},
		{
			name: "replicas-many", files: map[string]string{"vms.yaml": "vms:\n" + numbered(29, "  v%d0000000: {os: rhel9, flavor: small, replicas: 10000}\n")},
			want: "are too many for one Application; expected at most 40000",
		},
		{
			name: "replicas-large", files: map[string]string{"vms.yaml": "vms: {a: {os: rhel9, flavor: small, replicas: 10000, annotations: {a: " +
				strings.Repeat("x", 20_000) + "}}}\n"},
			want: "the manifests have more than 100 MiB",
		},
		{
			name: "copies", files: map[string]string{"vms.yaml": "vms:\n  a:\n    os: rhel9\n    flavor: small\n" + copies()},
			want: "the copies are too large; expected at most 1 MiB in all",
		},
		{
			name: "copies-platform", files: map[string]string{
				"fleet.yaml": "", "platform.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Platform\nmetadata: {name: p}\nlayers:\n  hyperconverged:\n" + copies(),
			},
			want: "the copies are too large; expected at most 1 MiB in all",
		},
		{
			name: "nul", files: map[string]string{"fleet.yaml": header + "# " + strings.Repeat("\x00", 40<<20)},
			want: "fleet.yaml: file is too large; a file holds at most 32 MiB",
		},
		{
			name: "values", files: map[string]string{"vms.yaml": vm + "vars: {a: [" + strings.Repeat("1,", 15<<20) + "1]}\n"},
			want: "needs more than 256 MiB of memory",
		},
		{
			name: "link-platform", links: map[string]string{"platform.yaml": "../outside.yaml"},
			want: `parameter "layer": not set, but the directory has both`,
		},
	}
}

const header = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: hostile}\n"

// numbered returns count copies of a text with their numbers.
func numbered(count int, text string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, text, i+1)
	}
	return b.String()
}

// copies returns patches that double a value again and again.
func copies() string {
	return "    patches:\n    - {op: add, path: /spec/z, value: {a: " + strings.Repeat("y", 500) + "}}\n" +
		numbered(26, "    - {op: copy, from: /spec/z, path: /spec/z/b%d}\n") + "    - {op: remove, path: /spec/z}\n"
}

// bomb returns a list that its aliases expand to nine to the power of thirty elements.
func bomb() string {
	text := "vars:\n  a0: &a0 [x]\n"
	for i := range 30 {
		text += fmt.Sprintf("  a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	return text + "vms: {a: {os: rhel9, flavor: small}}\n"
}

// A hostile repository gets a clear error. Nothing outside it is read, memory stays
// within the sidecar's limit, and other Applications are served in the meantime.
func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(lab.Dir, "outside.yaml")
	require.NoError(t, os.WriteFile(outside, []byte("vms: {"+canary+": {os: rhel9, flavor: small}}\n"), 0o600))
	honest := newFleet(t, "honest")

	var hostile []*scenario
	for _, a := range attacks(outside) {
		hostile = append(hostile, a.launch(t))
	}

	honest.replace("vms/databases.yaml", "disks:", "memory: 6Gi\n    disks:")
	honest.wait(argo.Synced(honest.push("More memory")))
	honest.stands(map[string]string{"db": "restart: waits for a restart: memory"})

	for i, a := range attacks(outside) {
		t.Run(a.name, func(t *testing.T) {
			s := hostile[i]
			s.T = t
			s.wait(failed(a.want))
			status, err := s.app.Status(t.Context())
			require.NoError(t, err)
			require.NotContains(t, status.ComparisonError(), canary)
			require.Empty(t, status.Resources)
		})
	}
	for _, server := range lab.argo.Servers() {
		require.NotContains(t, string(server.Tail(1<<30)), canary, server.Name)
	}
}

// launch creates a repository whose fleet is a subdirectory, with other files outside
// the fleet, has an Application render it, and attacks.
func (a attack) launch(t *testing.T) *scenario {
	t.Helper()
	s := newScenario(t, "hostile-"+a.name)
	s.write("outside.yaml", "vms: {"+canary+": {os: rhel9, flavor: small}}\n")
	s.write("neighbour/outside.yaml", "vms: {"+canary+": {os: rhel9, flavor: small}}\n")
	s.write("site/fleet.yaml", header)
	s.write("site/vms.yaml", "vms: {a: {os: rhel9, flavor: small}}\n")
	application := s.application("site")
	if len(a.overlays) > 0 {
		parameters := []any{map[string]any{"name": "overlay", "array": a.overlays}}
		require.NoError(t, unstructured.SetNestedSlice(application.Object, parameters, "spec", "source", "plugin", "parameters"))
	}
	for name, content := range a.files {
		if content == "" {
			require.NoError(t, os.Remove(s.repository.Path("site/"+name)))
			continue
		}
		s.write("site/"+name, content)
	}
	for name, target := range a.links {
		require.NoError(t, os.Symlink(target, s.repository.Path("site/"+name)))
	}
	requireBounded(t, a, s.repository.Path("site"))
	_, err := s.repository.Commit(t.Context(), "Hostile")
	require.NoError(t, err)
	s.apply(application)
	return s
}

// requireBounded runs the plugin's command in the directory, as its server does, and
// measures its resource usage.
func requireBounded(t *testing.T, a attack, dir string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), lab.Programs["vmrender-cmp"], "generate")
	command.Dir = dir
	command.Env = []string{"ARGOCD_APP_NAMESPACE=hostile", "ARGOCD_APP_SOURCE_PATH=site"}
	if len(a.overlays) > 0 {
		command.Env = append(command.Env, fmt.Sprintf(`ARGOCD_APP_PARAMETERS=[{"name":"overlay","array":[%q]}]`, a.overlays...))
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	require.Error(t, command.Run(), a.name)
	require.Empty(t, stdout.String(), a.name)
	require.NotContains(t, stderr.String(), canary, a.name)
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	t.Logf("%s: %d MiB, %s CPU: %.300s", a.name, usage.Maxrss>>10, command.ProcessState.UserTime(), stderr.String())
	// This includes the memory of this process; cmd/vmrender-cmp tests the bound
	// itself.
	require.Less(t, usage.Maxrss<<10, int64(512<<20), a.name)
}
