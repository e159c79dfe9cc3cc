package openshift_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// These fail at first, for these reasons.
const (
	operator    = "kubernetes-nmstate-operator"
	timeout     = "install failed: deployment nmstate-operator not ready before timeout: deployment exceeded its progress deadline"
	canary      = "br1-canary"
	unreachable = "failed to execute NetworkStatePolicy: the default gateway does not answer"
)

func (s *site) fail() {
	s.Fail(operator, timeout)
	s.Fail(canary, unreachable)
}

// recover checks that a failure shows on its layer, with the reason, and holds back what
// comes after it, however often the sync is retried. An operator holds back the next
// layers, and a canary the other nodes. All continue automatically when it works.
func (s *site) recover() {
	s.Helper()
	operators, network := s.argo.Application("site-a-operators"), s.argo.Application("site-a-network")
	require.NoError(s, operators.Wait(s.Context(), patience, degraded("Operator", "Failed: "+timeout)))
	require.NoError(s, s.root.Wait(s.Context(), patience, failed(2)))
	require.Equal(s, map[string]string{"node-pools": "Healthy", "operators": "Degraded"}, s.applications())

	s.Fail(operator, "")
	require.NoError(s, operators.Wait(s.Context(), patience, healthy))
	var failures int
	require.NoError(s, network.Wait(s.Context(), patience, func(status *argo.Status) error {
		failures = status.Operation.RetryCount
		if !strings.Contains(status.Operation.Message, "Retrying attempt") {
			return fmt.Errorf("the sync has not failed")
		}
		return degraded("NodeNetworkConfigurationPolicy", unreachable)(status)
	}))
	require.NoError(s, network.Wait(s.Context(), patience, failed(failures+1)))
	policies := schema.GroupVersionKind{Group: "nmstate.io", Version: "v1", Kind: "NodeNetworkConfigurationPolicy"}
	policy, err := s.Get(s.Context(), policies, "", "br1")
	require.NoError(s, err)
	require.Nil(s, policy)

	s.Fail(canary, "")
	require.NoError(s, network.Wait(s.Context(), patience, healthy), "%v", s.applications())
}

// degraded is done when an object of a kind has failed for a reason.
func degraded(kind, reason string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		for _, r := range s.Resources {
			if r.Kind == kind && r.Health.Status == "Degraded" && strings.HasSuffix(r.Health.Message, reason) {
				return nil
			}
		}
		return fmt.Errorf("no %s is degraded for its reason", kind)
	}
}

// failed is done when the sync has failed that often.
func failed(times int) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Operation.RetryCount < times {
			return fmt.Errorf("the sync has failed %d times only", s.Operation.RetryCount)
		}
		return nil
	}
}

// pinned is the version that Git pins, of an earlier release. The channel has a later one.
const pinned = operator + ".v4.17.9"

// pin makes Git pin the version of an operator.
func (s *site) pin() {
	s.Helper()
	const (
		operators   = "\n  operators:\n    values:\n"
		descheduler = "        descheduler: {enabled: true}\n"
	)
	s.replace(operators, operators+"      approver: {image: "+image+"}\n")
	s.replace(descheduler, descheduler+"        nmstate: {approval: Manual, startingCSV: "+pinned+"}\n")
}

// checkPin checks that the layer's Job has approved the pinned version. The operator came up
// without manual steps, and keeps that version although the channel has a later one.
func (s *site) checkPin() {
	s.Helper()
	later := operator + ".v" + s.release.Name + ".0"
	require.True(s, s.approved(pinned))
	require.False(s, s.approved(later))
	require.NotNil(s, s.get("clusterserviceversions", pinned))
	require.Nil(s, s.get("clusterserviceversions", later))
}

// approved waits for the InstallPlan of a version of NMState's operator, and reports whether
// it is approved.
func (s *site) approved(version string) (is bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	require.NoError(s, process.Poll(ctx, func(context.Context) error {
		object := s.get("installplans", "install-"+version)
		if object == nil {
			return fmt.Errorf("no InstallPlan of %s", version)
		}
		var err error
		is, _, err = unstructured.NestedBool(object.Object, "spec", "approved")
		return err
	}))
	return is
}

// get returns an object of the Operator Lifecycle Manager for NMState's operator, or nil if
// there is none.
func (s *site) get(resource, name string) *unstructured.Unstructured {
	s.Helper()
	of := schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: resource}
	object, err := s.Resource(of).Namespace("openshift-nmstate").Get(s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(s, err)
	return object
}
