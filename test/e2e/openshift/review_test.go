package openshift_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// pause pauses a layer from which HyperConverged has values, and changes one of them. That is refused, because Git does
// not know what is applied, and changes nothing. With these values, other layers follow Git, and the cluster keeps
// what is applied until the pause ends.
func (s *site) pause() {
	s.Helper()
	const (
		layer, paused = "  higher-density:\n", "  higher-density:\n    action: Ignore\n"
		migration     = "liveMigrationConfig: {bandwidthPerMigration: 2Gi, network: migration}\n"
		applied       = "        higherWorkloadDensity: {memoryOvercommitPercentage: 150}\n" +
			"        ksmConfiguration: {nodeLabelSelector: {}}\n"
	)
	overcommit := s.release.Virtualization("higherWorkloadDensity", "memoryOvercommitPercentage")
	require.EqualValues(s, 150, s.inHyperConverged(overcommit...))
	s.replace(layer, paused)
	s.replace("memoryToRequestRatio: 150", "memoryToRequestRatio: 120")
	s.replace("bandwidthPerMigration: 1Gi", "bandwidthPerMigration: 2Gi")
	s.commit("Pause a layer")
	require.NoError(s, s.argo.Application("site-a-hyperconverged").Wait(s.Context(), patience, refused))
	require.EqualValues(s, 150, s.inHyperConverged(overcommit...))

	s.replace(migration, migration+applied)
	s.settle(s.commit("Set what is applied"), "hyperconverged", "load-aware")
	require.EqualValues(s, 150, s.inHyperConverged(overcommit...))
	require.Equal(s, "2Gi", s.inHyperConverged(s.release.Virtualization("liveMigrationConfig", "bandwidthPerMigration")...))

	s.replace(paused, layer)
	s.replace(applied, "")
	s.settle(s.commit("End the pause"), "hyperconverged", "higher-density")
	require.EqualValues(s, 120, s.inHyperConverged(overcommit...))
}

// refused is done when an Application cannot be rendered.
func refused(s *argo.Status) error {
	if s.Sync.Status != "Unknown" {
		return fmt.Errorf("it is %s", s.Sync.Status)
	}
	return nil
}

// drift changes two fields manually: the one of the layer gets its value back, and the one that the layer ignores keeps
// the new one.
func (s *site) drift() {
	s.Helper()
	bandwidth := s.release.Virtualization("liveMigrationConfig", "bandwidthPerMigration")
	before := s.inHyperConverged(bandwidth...)
	s.engineer(7)
	s.edit(bandwidth, "3Gi")
	s.eventually(func(context.Context) error {
		if now := s.inHyperConverged(bandwidth...); now != before {
			return fmt.Errorf("the bandwidth is %v", now)
		}
		return nil
	})
	s.settle("", "hyperconverged")
	require.EqualValues(s, 7, s.inHyperConverged(s.release.Virtualization("liveMigrationConfig", "parallelMigrationsPerCluster")...))
}

// review reviews a change of a layer. Before its approval is in Git, nothing is applied. If HyperConverged, with which
// the layer agrees, is changed after the review, the approval is of another state, and a sync fails before it changes
// anything; after a new review, the change is applied.
func (s *site) review() {
	s.Helper()
	layer := func(token string) string {
		return "  load-aware: {approve: " + token + ", values: {mode: Predictive}}\n"
	}
	s.engineer(8)
	s.replace("  load-aware: {}\n", layer("none"))
	s.settle(s.commit("Only watch the load"), "hyperconverged")
	stale := s.token()

	s.engineer(9)
	s.replace(layer("none"), layer(stale))
	s.commit("Approve what was reviewed")
	s.eventually(func(context.Context) error { return s.logged("load-aware-review", "in the review \""+stale+"\"") })
	require.Equal(s, "Automatic", s.mode())

	fresh := s.token()
	require.NotEqual(s, stale, fresh)
	s.replace(layer(stale), layer(fresh))
	s.settle(s.commit("Approve what is"), "load-aware")
	require.Equal(s, "Predictive", s.mode())
}

// commit commits the repository, and makes Argo CD look at it.
func (s *site) commit(message string) string {
	s.Helper()
	revision, err := s.repository.Commit(s.Context(), message)
	require.NoError(s, err)
	require.NoError(s, s.root.Refresh(s.Context(), false))
	for layer := range s.applications() {
		require.NoError(s, s.argo.Application("site-a-"+layer).Refresh(s.Context(), false))
	}
	return revision
}

// settle waits until the root and the layers are healthy, at the revision unless that is empty.
func (s *site) settle(revision string, layers ...string) {
	s.Helper()
	apps := []*argo.Application{s.root}
	for _, layer := range layers {
		apps = append(apps, s.argo.Application("site-a-"+layer))
	}
	for _, app := range apps {
		if revision != "" {
			require.NoError(s, app.Wait(s.Context(), patience, argo.Synced(revision)), app.Name)
		}
		require.NoError(s, app.Wait(s.Context(), patience, healthy), app.Name)
	}
}

// token returns the token of the layer that `vmrender status` prints.
func (s *site) token() string {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), prepared.Programs["vmrender"], "status",
		filepath.Join(s.repository.Dir, "platform.yaml"), "--live", "cluster", "--kubeconfig", s.Kubeconfig)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(s, command.Run(), stderr.String())
	found := regexp.MustCompile("the layer load-aware.*set `approve: (r[0-9a-f]+-l[0-9a-f]+)`").FindStringSubmatch(stdout.String())
	require.NotNil(s, found, stdout.String())
	return found[1]
}

// logged returns an error unless a pod of a Job has written a text.
func (s *site) logged(job, text string) error {
	logs, err := filepath.Glob(filepath.Join(s.dir("pods"), "*"+job+"*.log"))
	if err != nil {
		return err
	}
	for _, log := range logs {
		if content, err := os.ReadFile(log); err == nil && strings.Contains(string(content), text) {
			return nil
		}
	}
	return fmt.Errorf("no pod of %s has written %s", job, text)
}

// engineer is an engineer on call, who changes the field that Git leaves to them. The limits of the descheduler depend on
// it.
func (s *site) engineer(migrations int64) {
	s.Helper()
	s.edit(s.release.Virtualization("liveMigrationConfig", "parallelMigrationsPerCluster"), migrations)
}

// edit changes a field of HyperConverged manually.
func (s *site) edit(field []string, value any) {
	s.Helper()
	require.NoError(s, s.Update(s.Context(), s.release.HyperConvergedKind(), "openshift-cnv", "kubevirt-hyperconverged",
		func(h *unstructured.Unstructured) {
			require.NoError(s, unstructured.SetNestedField(h.Object, value, field...))
		}))
}

// inHyperConverged returns a field of HyperConverged, or nil.
func (s *site) inHyperConverged(field ...string) any {
	s.Helper()
	return s.field(s.release.HyperConvergedKind(), "openshift-cnv", "kubevirt-hyperconverged", field...)
}

// mode returns what the descheduler does.
func (s *site) mode() any {
	s.Helper()
	kind := schema.GroupVersionKind{Group: "operator.openshift.io", Version: "v1", Kind: "KubeDescheduler"}
	return s.field(kind, "openshift-kube-descheduler-operator", "cluster", "spec", "mode")
}

func (s *site) field(kind schema.GroupVersionKind, namespace, name string, field ...string) any {
	s.Helper()
	object, err := s.Get(s.Context(), kind, namespace, name)
	require.NoError(s, err)
	require.NotNil(s, object)
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, field...)
	require.NoError(s, err)
	return value
}

// eventually waits until something is so.
func (s *site) eventually(is func(context.Context) error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	require.NoError(s, process.Poll(ctx, is))
}
