package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

const (
	header         = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n"
	platformHeader = "apiVersion: vmrender.io/v1alpha1\nkind: Platform\nmetadata: {name: p}\n"
)

// text is the content of a file. It is not kept in memory, because the memory of a process counts toward the
// programs that it starts.
type text struct {
	start, repeat string
	count         int
	end           string
}

// greedy are repositories that would need a lot of memory without a limit, each with the error of generate.
var greedy = map[string]struct {
	files map[string]text
	want  string
}{
	"replicas with a long template": {
		files: map[string]text{"vms.yaml": {start: `vms: {a: {os: rhel9, flavor: small, replicas: 10000, ` +
			`cloudInit: {userData: '#cloud-config{{ repeat 1000000 "x" }}'}}}`}},
		want: "takes too much work",
	},
	"replicas of many VMs": {
		files: map[string]text{"vms.yaml": {
			start: "vms:\n" + each(29, "  v%d0000000: {os: rhel9, replicas: 10000, flavor: small}\n"),
		}},
		want: "vms.yaml:6:3: vms.v50000000: 50000 VMs up to this one are too many for one Application",
	},
	"replicas with large values": {
		files: map[string]text{"vms.yaml": {
			"vms: {a: {os: rhel9, flavor: small, replicas: 10000, annotations: {a: ", "x", 20_000, "}}}",
		}},
		want: "the manifests have more than 100 MiB",
	},
	"replicas that wait for another VM": {
		files: map[string]text{"vms.yaml": {start: `vms: {b: {os: rhel9, flavor: small}, a: {os: rhel9, flavor: small, ` +
			`dependsOn: [b], replicas: 10000, cloudInit: {userData: '#!{{ repeat 1000000 "x" }}'}}}`}},
		want: "takes too much work",
	},
	"copies of copies": {
		files: map[string]text{"vms.yaml": {start: "vms:\n  a:\n    os: rhel9\n    flavor: small\n" + copies()}},
		want:  "the copies are too large; expected at most 1 MiB in all",
	},
	"many values": {
		files: map[string]text{"fleet.yaml": {
			header + "vms: {a: {os: rhel9, flavor: small}}\nvars: {a: [", "1,", 15 << 20, "1]}\n",
		}},
		want: "needs more than 256 MiB of memory",
	},
	"a file without end": {
		files: map[string]text{"fleet.yaml": {start: header + "# ", repeat: "\x00", count: 40 << 20}},
		want:  "fleet.yaml: file is too large; a file holds at most 32 MiB",
	},
	"a platform without end": {
		files: map[string]text{"platform.yaml": {start: platformHeader, repeat: "#", count: 40 << 20}},
		want:  "platform.yaml: file is too large; a file holds at most 32 MiB",
	},
	"copies in a platform": {
		files: map[string]text{"platform.yaml": {start: platformHeader + "layers:\n  hyperconverged:\n" + copies()}},
		want:  "the copies are too large; expected at most 1 MiB in all",
	},
	"values of a platform": {
		files: map[string]text{"platform.yaml": {
			platformHeader + "layers: {network: {values: {a: [", "1,", 15 << 20, "1]}}}\n",
		}},
		want: "needs more than 256 MiB of memory",
	},
}

// each returns count numbered copies of a text.
func each(count int, text string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, text, i+1)
	}
	return b.String()
}

// copies returns patches that double a value repeatedly.
func copies() string {
	return "    patches:\n    - {op: add, path: /spec/z, value: {a: " + strings.Repeat("y", 500) + "}}\n" +
		each(26, "    - {op: copy, from: /spec/z, path: /spec/z/b%d}\n") + "    - {op: remove, path: /spec/z}\n"
}

// The repo-server's sidecar is shared, so no repository may make it use more than its share of memory. The author
// gets a short message that names the limit.
func TestMemoryIsBounded(t *testing.T) {
	bin := build(t, ".", "../vmrender")
	for name, repository := range greedy {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, platform := repository.files["platform.yaml"]; !platform {
				write(t, dir, "fleet.yaml", text{start: header})
			}
			for file, content := range repository.files {
				write(t, dir, file, content)
			}
			for _, command := range []string{"generate", "discover", "parameters"} {
				stdout, stderr := measure(t, dir, filepath.Join(bin, "vmrender-cmp"), command)
				if command == "generate" {
					require.Empty(t, stdout)
					require.Contains(t, stderr, repository.want)
				}
			}
		})
	}
}

// build builds programs as for the image and returns their directory.
func build(t *testing.T, packages ...string) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", bin}, packages...)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

func write(t *testing.T, dir, name string, content text) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	require.NoError(t, err)
	w := bufio.NewWriter(f) // Flush returns the error of every write
	_, _ = w.WriteString(content.start)
	for range content.count {
		_, _ = w.WriteString(content.repeat)
	}
	_, _ = w.WriteString(content.end)
	require.NoError(t, errors.Join(w.Flush(), f.Close()))
}

// ownPages is the part of a process's memory, in MiB, that it does not write to: pages of its program. All
// processes that run the program share them, and the system drops them when memory is short.
const ownPages = 32

// measure runs a command in a directory. It checks how much memory the command and its children use, and that its
// messages are short.
func measure(t *testing.T, dir, path, command string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, command)
	cmd.Dir = dir
	cmd.Env = []string{"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=."}
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	_ = cmd.Run() // fails only for generate, whose messages are compared
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	t.Logf("%s: %d MiB", command, usage.Maxrss>>10)
	require.Less(t, usage.Maxrss, int64((confine.Memory+ownPages)<<10), "KiB")
	require.Less(t, messages.Len(), 600, messages.String())
	return out.String(), messages.String()
}
