// Package product renders fleets for the admission tests to judge. It builds
// the vmrender of this tree and runs it as a user does.
package product

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/object"
)

// CLI is a built vmrender.
type CLI struct {
	path      string
	generator string // of fleets
	root      string // of the repository
}

// Build compiles the program from the repository that the test runs in. The
// binary lives as long as the test.
func Build(t *testing.T) CLI {
	t.Helper()
	dir := t.TempDir()
	c := CLI{path: filepath.Join(dir, "vmrender"), generator: filepath.Join(dir, "write"), root: repository(t)}
	build := exec.Command("go", "build", "-o", dir, "./cmd/vmrender", "./internal/fleetgen/write")
	build.Dir = c.root
	output, err := build.CombinedOutput()
	require.NoError(t, err, "building vmrender: %s", output)
	return c
}

// repository returns the nearest parent directory that contains the program's source.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "vmrender")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, dir, parent, "no cmd/vmrender in any directory above the test")
		dir = parent
	}
}

// run returns the standard output of the program, which must exit with 0.
func (c CLI) run(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.Command(c.path, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Run(), "vmrender %q: %s", args, stderr.String())
	return stdout.Bytes()
}

// Render returns the rendered objects of the fleet in dir, read from the YAML
// stream that Argo CD gets. VMs without a namespace get `lab`.
func (c CLI) Render(t *testing.T, dir string) []object.Object {
	t.Helper()
	objects, err := object.Read(c.run(t, "template", "--namespace", "lab", dir))
	require.NoError(t, err)
	return objects
}

// Plan returns the program's level for each object that changes between two files of
// manifests, by kind, namespace, and name. VMs are left out.
func (c CLI) Plan(t *testing.T, from, to string) map[string]string {
	t.Helper()
	var plan struct {
		Objects []struct{ Kind, Namespace, Name, Level string }
	}
	require.NoError(t, json.Unmarshal(c.run(t, "plan", from, to, "--output", "json"), &plan))
	levels := make(map[string]string, len(plan.Objects))
	for _, o := range plan.Objects {
		levels[o.Kind+" "+o.Namespace+"/"+o.Name] = o.Level
	}
	return levels
}

// NotAdopted returns the VMs of the fleet in dir that are not adopted unchanged from a file
// with the state in the cluster. It maps their names to the program's level and worst cause.
// VMs without a namespace get `lab`.
func (c CLI) NotAdopted(t *testing.T, dir, state string) map[string]string {
	t.Helper()
	var plan struct {
		VMs []struct {
			Namespace, Name, Level string
			Adopted                bool
			Causes                 []struct{ Path, Reason string }
		}
	}
	require.NoError(t, json.Unmarshal(c.run(t, "plan", "--namespace", "lab", "--live", state, "--output", "json", "--gate=false", dir), &plan))
	changed := map[string]string{}
	for _, vm := range plan.VMs {
		if !vm.Adopted {
			changed[vm.Namespace+"/"+vm.Name] = vm.Level + ": " + vm.Causes[0].Path + ": " + vm.Causes[0].Reason
		}
	}
	return changed
}

// Generated returns the objects of the valid generated fleets, by the fleet's seed, for the
// seeds from 1 to last. Each fleet's directory has a file with its arguments.
func (c CLI) Generated(t *testing.T, last int) map[string][]object.Object {
	t.Helper()
	dir := t.TempDir()
	output, err := exec.Command(c.generator, "-fleets", strconv.Itoa(last), dir).CombinedOutput()
	require.NoError(t, err, "generating fleets: %s", output)
	valid := map[string][]object.Object{}
	for seed := 1; seed <= last; seed++ {
		fleet := filepath.Join(dir, strconv.Itoa(seed))
		args, _ := os.ReadFile(filepath.Join(fleet, "args"))
		command := exec.Command(c.path, append([]string{"template"}, strings.Fields(string(args))...)...)
		command.Dir = fleet
		manifests, err := command.Output()
		if err != nil {
			continue // most of the others are wrong on purpose
		}
		valid[filepath.Base(fleet)], err = object.Read(manifests)
		require.NoError(t, err)
	}
	require.Greater(t, len(valid), last/4)
	return valid
}

// OS is the data about an operating system that the matrix needs.
type OS struct {
	Name   string `json:"name"`
	Family string `json:"family"` // linux or windows
	Image  string `json:"image"`  // empty if a VM must specify a source for its root disk
}

// OperatingSystems lists the built-in catalog.
func (c CLI) OperatingSystems(t *testing.T) []OS {
	t.Helper()
	var systems []OS
	require.NoError(t, json.Unmarshal(c.run(t, "catalog", "os", "-o", "json"), &systems))
	require.NotEmpty(t, systems)
	return systems
}

// Templates returns the VirtualMachineTemplates of the built-in catalog.
func (c CLI) Templates(t *testing.T) []object.Object {
	t.Helper()
	objects, err := object.Read(c.run(t, "catalog", "os", "-o", "templates"))
	require.NoError(t, err)
	require.NotEmpty(t, objects)
	return objects
}

// Fleets returns the directories of the fleets that the judges must accept, by
// their path in the repository: those under examples/, and one in this package
// with a VM for every key of the format.
func (c CLI) Fleets(t *testing.T) map[string]string {
	t.Helper()
	examples, err := filepath.Glob(filepath.Join(c.root, "examples", "*", "fleet.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, examples, "no fleets under examples/")
	features := filepath.Join(c.root, "test", "admission", "product", "testdata", "features", "fleet.yaml")
	fleets := map[string]string{}
	for _, header := range append(examples, features) {
		dir := filepath.Dir(header)
		name, err := filepath.Rel(c.root, dir)
		require.NoError(t, err)
		fleets[name] = dir
	}
	return fleets
}
