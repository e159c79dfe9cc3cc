package metrics

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// program is the path of vmrender, which TestMain builds.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vmrender-metrics-")
	if err == nil {
		program = filepath.Join(dir, "vmrender")
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func build() error {
	output, err := exec.Command("go", "-C", "../..", "build", "-o", program, "./cmd/vmrender").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building vmrender: %w\n%s", err, output)
	}
	return nil
}

// vmrender runs the program, and returns what it prints.
func vmrender(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Run(), "vmrender %v: %s", args, stderr.String())
	return stdout.Bytes()
}

// file writes a file, and returns its path.
func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// object is an object of the layer: its kind, and what the tests read of it.
type object struct {
	Kind string
	Spec yaml.Node
	Data map[string]string
}

// layer returns the objects of the layer monitoring, with values in the form of YAML.
func layer(t *testing.T, values string) []object {
	t.Helper()
	platform := file(t, t.TempDir(), "platform.yaml", `apiVersion: vmrender.io/v1alpha1
kind: Platform
metadata: {name: site-a}
target: {openshift: "4.20"}
source: {repoURL: https://git.example.com/site.git}
layers: {operators: {}, hyperconverged: {}, monitoring: {values: `+values+`}}
`)
	decoder := yaml.NewDecoder(bytes.NewReader(vmrender(t, "template", platform, "--layer", "monitoring")))
	var out []object
	for {
		var o object
		if err := decoder.Decode(&o); err != nil {
			require.EqualError(t, err, "EOF")
			return out
		}
		if o.Kind != "" {
			out = append(out, o)
		}
	}
}
