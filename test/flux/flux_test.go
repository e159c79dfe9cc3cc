// Package flux checks what fleets with `target.delivery: flux` promise with Flux's own code: how it applies and deletes
// objects, how it judges their health, and which Kustomizations it accepts.
package flux

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/fluxcd/pkg/ssa/utils"
)

const root = "../.."

// vmrender is the path of the program, which TestMain builds.
var vmrender string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "flux")
	if err != nil {
		panic(err)
	}
	vmrender = filepath.Join(dir, "vmrender")
	build := exec.Command("go", "build", "-o", vmrender, "./cmd/vmrender")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// run runs the program and returns what it prints.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(vmrender, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", stderr.String())
	return stdout.Bytes()
}

// render returns the objects of a fleet by the directory that Flux applies them from.
func render(t *testing.T, fleet string) map[string][]*unstructured.Unstructured {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rendered")
	run(t, "template", fleet, "--output-dir", dir)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	require.NoError(t, err)
	out := map[string][]*unstructured.Unstructured{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		objects, err := utils.ReadObjects(bytes.NewReader(text))
		require.NoError(t, err, file)
		name := filepath.Base(filepath.Dir(file))
		out[name] = append(out[name], objects...)
	}
	return out
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), file)
}
