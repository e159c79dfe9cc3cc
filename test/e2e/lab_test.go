package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubelet"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
	"github.com/vmrender/vmrender/test/e2e/loadbalancer"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// lab is the cluster with one Argo CD that all tests share.
var lab struct {
	prepared
	cluster  *cluster.Cluster
	kubevirt *kubevirt.KubeVirt
	kubelet  *kubelet.Kubelet
	argo     *argo.Argo
}

// runLab starts the lab and runs the tests in it. If they fail, it shows the ends of
// the logs.
func runLab(m *testing.M, p prepared) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lab.prepared = p
	dirs := map[string]string{}
	for _, name := range []string{"cluster", "kubevirt", "argocd", "pods"} {
		dirs[name] = filepath.Join(p.Dir, name)
		if err := os.Mkdir(dirs[name], 0o755); err != nil {
			return 1, err
		}
	}
	var err error
	if lab.cluster, err = cluster.Start(ctx, dirs["cluster"], p.Programs); err != nil {
		return 1, err
	}
	defer lab.cluster.Stop()
	complain := func(err error) { fmt.Fprintf(os.Stderr, "e2e: %v\n", err) }
	if lab.kubevirt, err = kubevirt.Start(ctx, lab.cluster, dirs["kubevirt"], p.Programs["virt-controller"], complain); err != nil {
		return 1, err
	}
	defer lab.kubevirt.Stop()
	lab.argo, err = argo.Start(ctx, lab.cluster, argo.Installation{
		Namespace: argo.Namespace, Dir: dirs["argocd"], Root: p.Root, Definitions: p.Definitions, Programs: p.Programs, Limit: syncLimit,
		Account: "argocd-application-controller",
	})
	if err != nil {
		return 1, err
	}
	defer lab.argo.Stop()
	go loadbalancer.Run(ctx, lab.cluster.Client, complain)
	lab.kubelet = kubelet.Start(ctx, lab.cluster.Client, dirs["pods"], lab.argo.Programs(), complain)

	status := m.Run()
	lab.argo.Stop()
	if status != 0 {
		showLogs(append(lab.kubevirt.Servers(), lab.argo.Servers()...))
	}
	return status, withinLimit(lab.argo.Servers())
}

// syncLimit is the limit of a sync in the project's manifests. No test waits for it
// except [TestSyncIsBounded], which has its own.
const syncLimit = time.Hour

// memory is the limit of the sidecar in the project's manifests, in bytes.
const memory = 1 << 30

// withinLimit checks the memory of the sidecar and of everything that it has run.
func withinLimit(servers []*process.Running) error {
	for _, s := range servers {
		if used := s.MaxRSS(); s.Name == "argocd-cmp-server" && used > memory {
			return fmt.Errorf("%s took %d MiB, more than its limit", s.Name, used>>20)
		}
	}
	return nil
}

func showLogs(servers []*process.Running) {
	for _, s := range servers {
		fmt.Fprintf(os.Stderr, "--- %s\n%s\n", s.Log, s.Tail(2048))
	}
}
