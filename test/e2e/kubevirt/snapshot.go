package kubevirt

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// takeSnapshot plays the controller of snapshots
// (pkg/storage/snapshot/snapshot.go, updateSnapshotStatus).
func (s *stage) takeSnapshot(ctx context.Context, snapshot *unstructured.Unstructured) error {
	phase := nested[string](snapshot, "status", "phase")
	if snapshot.GetDeletionTimestamp() != nil || phase == succeeded || phase == failed {
		return nil
	}
	switch s.outcome(Snapshots, snapshot) {
	case Wait:
		return s.setStatus(ctx, Snapshots, snapshot, map[string]any{"phase": "InProgress", "readyToUse": false})
	case Fail:
		return s.setStatus(ctx, Snapshots, snapshot, map[string]any{
			"phase": failed, "readyToUse": false, "error": map[string]any{"message": "no snapshot class"},
		})
	default:
		return s.setStatus(ctx, Snapshots, snapshot, map[string]any{"phase": succeeded, "readyToUse": true})
	}
}
