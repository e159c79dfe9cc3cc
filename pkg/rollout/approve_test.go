package rollout

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// pendingPlan returns an InstallPlan as OLM creates it for a Subscription with manual
// approval.
func pendingPlan(name string, versions ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
		"metadata": map[string]any{"name": name, "namespace": "ops", "resourceVersion": "7"},
		"spec":     map[string]any{"approval": "Manual", "approved": false, "clusterServiceVersionNames": versions},
	}}
}

func serviceVersion(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
		"metadata": map[string]any{"name": name, "namespace": "ops"},
	}}
}

// playOLM returns a cluster with OLM objects, and a function that returns the names of
// the approved plans.
func playOLM(t *testing.T, objects ...runtime.Object) (*fake.FakeDynamicClient, func() []string) {
	t.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		installPlans: "InstallPlanList", serviceVersions: "ClusterServiceVersionList",
	}, objects...)
	return client, func() []string {
		list, err := client.Resource(installPlans).Namespace("ops").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		var names []string
		for i := range list.Items {
			if approved, _, _ := unstructured.NestedBool(list.Items[i].Object, "spec", "approved"); approved {
				names = append(names, list.Items[i].GetName())
			}
		}
		return names
	}
}

// Only plans that install nothing but pinned versions are approved.
func TestApprove(t *testing.T) {
	pinned := []string{"a.v1", "b.v2"}
	for name, c := range map[string]struct {
		objects  []runtime.Object
		approved []string
		problem  string
	}{
		"both in one plan": {objects: []runtime.Object{pendingPlan("p", "a.v1", "b.v2")}, approved: []string{"p"}},
		"one plan for each": {
			objects: []runtime.Object{pendingPlan("p", "a.v1"), pendingPlan("q", "b.v2")}, approved: []string{"p", "q"},
		},
		"installed": {objects: []runtime.Object{serviceVersion("a.v1"), serviceVersion("b.v2")}},
		"one installed": {
			objects: []runtime.Object{serviceVersion("a.v1"), pendingPlan("p", "b.v2")}, approved: []string{"p"},
		},
		"an upgrade, too": {
			objects: []runtime.Object{serviceVersion("a.v1"), serviceVersion("b.v2"), pendingPlan("p", "a.v2")},
		},
		"with something else": {
			objects: []runtime.Object{pendingPlan("p", "a.v1", "c.v3"), pendingPlan("q", "b.v2")}, approved: []string{"q"},
			problem: "no InstallPlan with a.v1 after 1m0s; not approved: p (a.v1, c.v3); ",
		},
		"nothing in it": {
			objects: []runtime.Object{pendingPlan("p"), serviceVersion("b.v2")},
			problem: "no InstallPlan with a.v1 after 1m0s; not approved: p (); ",
		},
		"nothing": {problem: "no InstallPlan with a.v1, b.v2 after 1m0s; is it in the channel, "},
	} {
		t.Run(name, func(t *testing.T) {
			client, approved := playOLM(t, c.objects...)
			now := time.Unix(0, 0)
			err := (&Cluster{objects: client}).Approve(t.Context(), pinned, Options{
				Namespace: "ops", Timeout: time.Minute, Log: new(bytes.Buffer), Tick: time.Nanosecond,
				Now: func() time.Time { now = now.Add(20 * time.Second); return now },
			})
			if c.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.problem)
			}
			require.Equal(t, c.approved, approved())
		})
	}
}

// A plan that OLM has changed since it was read is read again before it is approved, and
// a plan that does not exist yet is waited for.
func TestApproveLooksAgain(t *testing.T) {
	client, approved := playOLM(t, pendingPlan("p", "a.v1"))
	conflicts := 0
	client.PrependReactor("patch", "installplans", func(a clienttesting.Action) (bool, runtime.Object, error) {
		patch := string(a.(clienttesting.PatchAction).GetPatch())
		require.JSONEq(t, `{"metadata":{"resourceVersion":"7"},"spec":{"approved":true}}`, patch)
		if conflicts++; conflicts > 1 {
			return false, nil, nil
		}
		require.NoError(t, client.Tracker().Create(installPlans, pendingPlan("q", "b.v2"), "ops"))
		return true, nil, apierrors.NewConflict(installPlans.GroupResource(), "p", nil)
	})
	var log bytes.Buffer
	o := Options{Namespace: "ops", Timeout: time.Minute, Log: &log, Tick: time.Nanosecond, Now: time.Now}
	require.NoError(t, (&Cluster{objects: client}).Approve(t.Context(), []string{"a.v1", "b.v2"}, o))
	require.Equal(t, []string{"p", "q"}, approved())
	require.Equal(t, "waiting for an InstallPlan with a.v1, b.v2; not approved: p (a.v1)\n"+
		"approved InstallPlan p: a.v1\napproved InstallPlan q: b.v2\n", log.String())
}

func TestApproveEnds(t *testing.T) {
	client, _ := playOLM(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := Options{Namespace: "ops", Timeout: time.Minute, Log: new(bytes.Buffer), Tick: time.Nanosecond, Now: time.Now}
	require.ErrorIs(t, (&Cluster{objects: client}).Approve(ctx, []string{"a.v1"}, o), ErrInterrupted)

	client.PrependReactor("list", "installplans", func(clienttesting.Action) (bool, runtime.Object, error) {
		forbidden := metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
		return true, nil, &apierrors.StatusError{ErrStatus: forbidden}
	})
	o = hurried(new(bytes.Buffer))
	o.Namespace = "ops"
	err := (&Cluster{objects: client}).Approve(t.Context(), []string{"a.v1"}, o)
	requireUnavailable(t, err, "permission missing: list installplans.operators.coreos.com in namespace ops")
}

func TestParseVersions(t *testing.T) {
	_, err := ParseVersions(nil)
	require.ErrorContains(t, err, "no version; expected names")
	_, err = ParseVersions([]string{"a.v1", "nmstate"})
	require.ErrorContains(t, err, `invalid version "nmstate"; expected the name of a ClusterServiceVersion`)
}
