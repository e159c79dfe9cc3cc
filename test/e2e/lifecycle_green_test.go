package e2e_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// A VM stays as long as its successor has failed, however often the sync is retried.
// With ApplyOutOfSyncOnly=true it would be deleted: a retry considers the successor
// synced.
func TestBlueGreenFails(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "blue-green-fails")
	s.write("fleet.yaml", strings.Replace(lifecycleFleet, "applyOutOfSyncOnly: true", "applyOutOfSyncOnly: false", 1))
	s.write("vms.yaml", "vms:\n  web: {memory: 4Gi, lifecycle: {type: cattle, strategy: blue-green}}\n")
	s.wait(argo.Synced(s.push("A fleet")))
	before := s.machines()
	s.will(kubevirt.DataVolumes, "", kubevirt.Fail)
	s.replace("vms.yaml", "4Gi", "6Gi")
	s.push("More memory")
	s.wait(func(status *argo.Status) error {
		if status.Operation.RetryCount < 2 || status.Health.Status != "Degraded" {
			return errors.New("not retried")
		}
		return nil
	})
	now := s.machines()
	require.Len(t, now, 2)
	for name, uid := range before {
		require.Equal(t, uid, now[name], "%v", slices.Collect(maps.Keys(now)))
	}
	green := slices.DeleteFunc(keys(now), func(name string) bool { return before[name] != "" })
	s.stands(map[string]string{green[0]: "down", keys(before)[0]: "left-over"})
}
