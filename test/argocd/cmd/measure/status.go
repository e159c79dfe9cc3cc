package main

import (
	"encoding/json"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// statusSize returns the size in bytes of the JSON of an Application's status
// for these objects after a sync. Each object has one entry for its state and
// one for the result of the operation (argo-cd v3.2.11, controller/state.go
// CompareAppState and controller/sync.go SyncAppState). The API server stores
// it.
func statusSize(manifests []string) (int64, error) {
	status := v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{}}}
	for _, manifest := range manifests {
		var object unstructured.Unstructured
		if err := json.Unmarshal([]byte(manifest), &object); err != nil {
			return 0, err
		}
		state, result := entries(&object)
		status.Resources = append(status.Resources, state)
		status.OperationState.SyncResult.Resources = append(status.OperationState.SyncResult.Resources, result)
	}
	text, err := json.Marshal(status)
	return int64(len(text)), err
}

// entries returns the entries of an object that was applied and is in sync.
func entries(object *unstructured.Unstructured) (v1alpha1.ResourceStatus, *v1alpha1.ResourceResult) {
	kind := object.GroupVersionKind()
	state := v1alpha1.ResourceStatus{
		Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName(),
		Status: v1alpha1.SyncStatusCodeSynced,
	}
	return state, &v1alpha1.ResourceResult{
		Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName(),
		Status:    common.ResultCodeSynced,
		Message:   strings.ToLower(kind.Kind) + "." + kind.Group + "/" + object.GetName() + " serverside-applied",
		HookPhase: common.OperationRunning, SyncPhase: common.SyncPhaseSync,
	}
}
