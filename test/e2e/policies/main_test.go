// Package policies_test exercises the admission policies of the governance chart
// on a real API server. The requests are real, from users who have the verbs
// that policies require and from users who do not. A webhook stands in for
// KubeMacPool's.
package policies_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/build"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

// prepared describes what is prepared outside the sandbox.
type prepared struct {
	Dir      string            // for everything that the run writes
	Kyverno  string            // file with the definition of Kyverno's ClusterPolicy
	Programs map[string]string // by name
}

// lab is shared by all tests.
var lab struct {
	prepared
	*cluster.Cluster
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(sandbox.Main("policies", prepare, func(p prepared) (int, error) { return runLab(m, p) }))
}

func prepare(dir string) (prepared, error) {
	p := prepared{Dir: dir}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return p, err
	}
	if p.Programs, err = build.All(root, dir, os.Stderr); err != nil {
		return p, err
	}
	p.Kyverno, err = kyvernoDefinition(dir)
	return p, err
}

// runLab starts the cluster and runs the tests on it.
func runLab(m *testing.M, p prepared) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lab.prepared = p
	var err error
	if lab.Cluster, err = cluster.Start(ctx, lab.Dir, lab.Programs); err != nil {
		return 1, err
	}
	defer lab.Stop()
	if err := furnish(ctx); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// furnish brings the cluster to its initial state: with VMs from before the
// policies, and with policies that have taken effect.
func furnish(ctx context.Context) error {
	namespaces, err := cluster.ReadObjects(filepath.Join("testdata", "namespaces.yaml"))
	if err != nil {
		return err
	}
	if err := lab.Install(ctx, namespaces); err != nil {
		return err
	}
	applications := definition("applications", "argoproj.io")
	with(applications, object{"plural": "applications", "singular": "application", "kind": "Application", "listKind": "ApplicationList"}, "spec", "names")
	versions, _, _ := unstructured.NestedSlice(applications.Object, "spec", "versions")
	versions[0].(object)["name"] = "v1alpha1"
	with(applications, versions, "spec", "versions")
	if err := lab.Install(ctx, []*unstructured.Unstructured{applications}); err != nil {
		return err
	}
	if err := startKubeMacPool(ctx); err != nil {
		return err
	}
	for _, a := range slices.Concat(attempts(), keepingAttempts(), gateAttempts()) {
		if err := a.begin(ctx); err != nil {
			return err
		}
	}
	policies, err := rendered(ctx, "validatingAdmissionPolicy", "Deny")
	if err != nil {
		return err
	}
	if err := lab.Install(ctx, policies); err != nil {
		return err
	}
	return allEffective(ctx)
}

// rendered returns the objects of the governance layer of testdata/platform.yaml
// for an engine and a mode of the gate, as vmrender renders them.
func rendered(ctx context.Context, engine, mode string) ([]*unstructured.Unstructured, error) {
	platform, err := os.ReadFile(filepath.Join("testdata", "platform.yaml"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(lab.Dir, engine)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "platform.yaml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer("ENGINE", engine, "MODE", mode).Replace(string(platform))), 0o600); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, lab.Programs["vmrender"], "template", file, "--layer", "governance")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("rendering %s: %w\n%s", file, err, stderr.Bytes())
	}
	return cluster.Objects(stdout.Bytes())
}
