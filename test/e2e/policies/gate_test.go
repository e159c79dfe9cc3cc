package policies_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// The gate refuses unapproved changes of every level, and nothing else.
func TestGate(t *testing.T) {
	for _, a := range gateAttempts() {
		t.Run(a.name, func(t *testing.T) { require.NoError(t, a.check(t.Context())) })
	}
}

// gateSigns returns an attempt for each policy of the gate, to show that it has taken
// effect.
func gateSigns() []attempt {
	all := gateAttempts()
	return slices.DeleteFunc(all, func(a attempt) bool {
		return !slices.Contains([]string{"cores", "deletion of a kept disk", "break-glass"}, a.name)
	})
}

// A refused change has no effect. An approved change is made, and its approval is not valid
// for later changes.
func TestGateInEarnest(t *testing.T) {
	o := gated(nil)
	o.SetName("earnest")
	require.NoError(t, lab.Apply(t.Context(), o))
	resource, err := attempt{as: argoCD, object: o}.resource(&recorder{})
	require.NoError(t, err)
	before, err := resource.Get(t.Context(), "earnest", metav1.GetOptions{})
	require.NoError(t, err)
	update := func(c change) (*unstructured.Unstructured, error) {
		live, err := resource.Get(t.Context(), "earnest", metav1.GetOptions{})
		require.NoError(t, err)
		c(live)
		return resource.Update(t.Context(), live, metav1.UpdateOptions{})
	}

	_, err = update(commit("", cores))
	require.ErrorContains(t, err, "needs an approval of restart")
	after, err := resource.Get(t.Context(), "earnest", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before.GetResourceVersion(), after.GetResourceVersion())

	_, err = update(commit("restart="+token, cores))
	require.NoError(t, err)
	_, err = update(commit("restart="+token, set(int64(3), "domain.cpu.cores")))
	require.ErrorContains(t, err, "restart="+token+" is used up")
	_, err = update(commit("restart="+token, annotation(becomes, "33333333"), set(int64(3), "domain.cpu.cores")))
	require.ErrorContains(t, err, "restart="+token+" is used up")
	require.NoError(t, lab.Apply(t.Context(), withoutChange(t, "earnest")), "the same again")
}

// Argo CD's server-side apply is checked in the same way as an update.
func TestGateApplied(t *testing.T) {
	o := gated(nil)
	o.SetName("applied")
	require.NoError(t, lab.Apply(t.Context(), o))
	resource, err := attempt{as: argoCD, object: o}.resource(&recorder{})
	require.NoError(t, err)
	options := metav1.ApplyOptions{FieldManager: "argocd-controller", Force: true}
	_, err = resource.Apply(t.Context(), "applied", o, options)
	require.NoError(t, err)

	changed := o.DeepCopy()
	commit("", cores)(changed)
	_, err = resource.Apply(t.Context(), "applied", changed, options)
	require.ErrorContains(t, err, "needs an approval of restart")
	commit("restart=" + token)(changed)
	_, err = resource.Apply(t.Context(), "applied", changed, options)
	require.NoError(t, err)
}

// withoutChange returns a VM as it is, as Argo CD applies it in every sync.
func withoutChange(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	live, err := lab.Get(t.Context(), machine("gated").GroupVersionKind(), "gated", name)
	require.NoError(t, err)
	live.SetManagedFields(nil)
	live.SetResourceVersion("")
	return live
}

// Memory is plugged by a migration, so the gate checks the VM's status for whether it can
// migrate. A missing status means no. Writing the status needs no approval.
func TestGateReadsWhatIsMigratable(t *testing.T) {
	larger := set("6Gi", "domain.memory.guest")
	a := attempt{name: "more memory", as: argoCD, object: gated(nil), change: commit("", larger), refused: "memory.guest is of level restart"}
	a.object.SetName("migratable")
	require.NoError(t, lab.Apply(t.Context(), a.object.DeepCopy()))
	require.NoError(t, a.check(t.Context()))

	resource, err := attempt{as: developer, object: a.object}.resource(&recorder{})
	require.NoError(t, err)
	live, err := resource.Get(t.Context(), "migratable", metav1.GetOptions{})
	require.NoError(t, err)
	condition := object{"type": "LiveMigratable", "status": "True"}
	with(live, object{"conditions": []any{condition}, "printableStatus": "Running"}, "status")
	_, err = resource.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
	require.NoError(t, err)
	a.refused = ""
	require.NoError(t, a.check(t.Context()))
}

// In its audit mode, the gate lets everything pass without a warning, and counts the
// requests that it would refuse.
func TestGateAudit(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	switchGate(ctx, t, "Audit")
	defer switchGate(ctx, t, "Deny")
	a := attempt{name: "audited", as: argoCD, object: gated(nil), change: commit("", cores)}
	a.object.SetName("audited")
	require.NoError(t, lab.Apply(ctx, a.object.DeepCopy()))
	require.NoError(t, process.Poll(ctx, a.check))

	before := counted(ctx, t)
	require.NoError(t, a.check(ctx))
	require.Equal(t, before+1, counted(ctx, t))
}

// A use of break-glass is recorded with the user and the reason.
func TestGateRecordsBreakGlass(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	reason := "outage 4711; until " + started.Add(time.Hour).UTC().Format(time.RFC3339)
	a := attempt{name: "recorded", as: developer, object: gated(map[string]string{breakGlass: reason}), change: commit("", cores), warning: reason}
	a.object.SetName("recorded")
	require.NoError(t, lab.Apply(ctx, a.object.DeepCopy()))
	require.NoError(t, process.Poll(ctx, a.check), "not in the second of the write before it")
	require.NoError(t, process.Poll(ctx, func(context.Context) error {
		events, err := lab.Audited()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(events, func(e string) bool { return recorded(e, developer.UserName, reason) }) {
			return errors.New("it is not recorded")
		}
		return nil
	}))
}

// recorded reports whether an event of the audit log is a use of break-glass.
func recorded(event, user, reason string) bool {
	var e struct {
		ImpersonatedUser struct{ Username string }
		Annotations      map[string]string
	}
	return json.Unmarshal([]byte(event), &e) == nil && e.ImpersonatedUser.Username == user &&
		e.Annotations["virtualization-gate/break-glass"] == "spec.template.spec.domain.cpu.cores: "+reason
}

// In its warning mode, the gate warns, too.
func TestGateWarns(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	switchGate(ctx, t, "Warn")
	defer switchGate(ctx, t, "Deny")
	a := attempt{name: "warned", as: argoCD, object: gated(nil), change: commit("", cores), warning: "cores is of level restart and needs an approval of restart"}
	a.object.SetName("warned")
	require.NoError(t, lab.Apply(ctx, a.object.DeepCopy()))
	require.NoError(t, process.Poll(ctx, a.check))
}

// switchGate installs the policies with another mode of the gate, and waits until those
// that refuse take effect.
func switchGate(ctx context.Context, t *testing.T, mode string) {
	t.Helper()
	objects, err := rendered(ctx, "validatingAdmissionPolicy", mode)
	require.NoError(t, err)
	for _, o := range objects {
		if strings.HasPrefix(o.GetName(), "virtualization-gate") {
			require.NoError(t, lab.Apply(ctx, o))
		}
	}
	if mode == "Deny" {
		require.NoError(t, allEffective(ctx))
	}
}

var checks = regexp.MustCompile(`(?m)^apiserver_validating_admission_policy_check_total\{enforcement_action="audit".*policy="virtualization-gate".*\} (\d+)$`)

// counted returns how often the gate would have refused a request, according to the API
// server's metrics.
func counted(ctx context.Context, t *testing.T) int {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", lab.Kubeconfig)
	require.NoError(t, err)
	client, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	require.NoError(t, err)
	found := checks.FindSubmatch(text)
	if found == nil {
		require.NoError(t, errors.New("the API server counts nothing"))
	}
	n, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return n
}
