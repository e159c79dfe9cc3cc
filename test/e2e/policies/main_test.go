// Package policies_test exercises the admission policies of the governance chart
// on a real API server, with real requests of users who hold the verbs that
// policies ask for and of users who do not, and with a webhook that does what
// KubeMacPool's does.
package policies_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/build"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/sandbox"
)

// prepared is what is made outside of the sandbox, which has no network to fetch
// modules from.
type prepared struct {
	Dir      string            // for everything that the run writes
	Kyverno  string            // file with the definition of Kyverno's ClusterPolicy
	Programs map[string]string // by name
}

// lab is what all tests share.
var lab struct {
	prepared
	*cluster.Cluster
}

func TestMain(m *testing.M) {
	flag.Parse()
	status, err := run(m)
	if err != nil {
		fmt.Fprintf(os.Stderr, "policies: %v\n", err)
		status = 1
	}
	os.Exit(status)
}

// run prepares everything and runs this binary again in a sandbox, where it runs
// the tests.
func run(m *testing.M) (int, error) {
	if message, inside := sandbox.Message(); inside {
		return runInside(m, message)
	}
	dir, err := os.MkdirTemp("", "vmrender-policies-")
	if err != nil {
		return 1, err
	}
	message, err := prepare(dir)
	if err != nil {
		return 1, err
	}
	status, err := sandbox.Run(message)
	if status == 0 && err == nil {
		return 0, os.RemoveAll(dir)
	}
	fmt.Fprintf(os.Stderr, "policies: logs are in %s\n", dir)
	return status, err
}

func prepare(dir string) (string, error) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return "", err
	}
	p := prepared{Dir: dir}
	if p.Programs, err = build.All(root, dir, os.Stderr); err != nil {
		return "", err
	}
	if p.Kyverno, err = kyvernoDefinition(dir); err != nil {
		return "", err
	}
	message, err := json.Marshal(p)
	return string(message), err
}

func runInside(m *testing.M, message string) (int, error) {
	if err := json.Unmarshal([]byte(message), &lab.prepared); err != nil {
		return 1, err
	}
	if err := sandbox.Enter(); err != nil {
		return 1, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
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

// furnish brings the cluster to where the tests begin: with machines that were
// there before the policies, and with policies that have taken effect.
func furnish(ctx context.Context) error {
	namespaces, err := cluster.ReadObjects(filepath.Join("testdata", "namespaces.yaml"))
	if err != nil {
		return err
	}
	if err := lab.Install(ctx, namespaces); err != nil {
		return err
	}
	if err := startKubeMacPool(ctx); err != nil {
		return err
	}
	for _, a := range attempts() {
		if err := a.begin(ctx); err != nil {
			return err
		}
	}
	policies, err := rendered(ctx, "validatingAdmissionPolicy")
	if err != nil {
		return err
	}
	if err := lab.Install(ctx, policies); err != nil {
		return err
	}
	return allEffective(ctx)
}

// rendered are the objects of the governance layer of testdata/platform.yaml for
// an engine, as the product renders them.
func rendered(ctx context.Context, engine string) ([]*unstructured.Unstructured, error) {
	platform, err := os.ReadFile(filepath.Join("testdata", "platform.yaml"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(lab.Dir, engine)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "platform.yaml")
	if err := os.WriteFile(file, bytes.ReplaceAll(platform, []byte("ENGINE"), []byte(engine)), 0o600); err != nil {
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
