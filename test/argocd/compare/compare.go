// Package compare compares objects with those in a cluster, using the code of Argo CD's
// application controller.
package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"syscall"
	"time"

	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	argodiff "github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/argoproj/gitops-engine/pkg/diff"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Diffs compares objects in Git with those in the cluster, in the same order and without a cache
// (argo-cd v3.2.11, controller/state.go, CompareAppState).
func Diffs(live, wanted []*unstructured.Unstructured) (*diff.DiffResultList, error) {
	config, err := argodiff.NewDiffConfigBuilder().
		WithDiffSettings(nil, nil, false, normalizers.IgnoreNormalizerOpts{}).
		WithTracking(common.LabelKeyAppInstance, string(v1alpha1.TrackingMethodAnnotation)).
		WithNoCache().
		WithManager(common.ArgoCDSSAManager).
		Build()
	if err != nil {
		return nil, err
	}
	return argodiff.StateDiffs(live, wanted, config)
}

// Cost reads the manifests, compares them with objects that Argo CD has applied and that have not
// changed since, and returns the CPU time per object. It returns an error if there is a
// difference.
func Cost(manifests []string) (time.Duration, error) {
	live := make([]*unstructured.Unstructured, len(manifests))
	for i, text := range manifests {
		object, err := applied(text)
		if err != nil {
			return 0, err
		}
		live[i] = object
	}
	start, err := cpuTime()
	if err != nil {
		return 0, err
	}
	wanted := make([]*unstructured.Unstructured, len(manifests))
	for i, text := range manifests {
		wanted[i] = new(unstructured.Unstructured)
		if err := json.Unmarshal([]byte(text), wanted[i]); err != nil {
			return 0, err
		}
	}
	results, err := Diffs(live, wanted)
	if err == nil && results.Modified {
		err = fmt.Errorf("the controller sees differences in %d objects that are the same", len(manifests))
	}
	if err != nil {
		return 0, err
	}
	end, err := cpuTime()
	return (end - start) / time.Duration(len(manifests)), err
}

// cpuTime returns the CPU time of this process so far, user and system.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}

// applied returns the object as it is in the cluster after kubectl apply.
func applied(text string) (*unstructured.Unstructured, error) {
	object := new(unstructured.Unstructured)
	if err := json.Unmarshal([]byte(text), object); err != nil {
		return nil, err
	}
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = text
	object.SetAnnotations(annotations)
	object.SetUID("7f0c2a0a-4b5e-4a57-9f57-0d2d7b1f6a11")
	object.SetResourceVersion("1")
	object.SetGeneration(1)
	return object, nil
}
