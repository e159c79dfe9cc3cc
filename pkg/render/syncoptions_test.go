package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Each kind of removal has its option, which comes before those of the strategy.
func TestRemoval(t *testing.T) {
	for _, test := range []struct {
		lc   machine.Lifecycle
		want string
	}{
		{machine.Lifecycle{Removal: values.Denied}, "Prune=false,Delete=confirm"},
		{machine.Lifecycle{Removal: values.Approved}, "Prune=true,Delete=confirm"},
		{machine.Lifecycle{Removal: values.Confirm}, "Prune=confirm,Delete=confirm"},
		{machine.Lifecycle{Unprotected: true}, ""},
		{machine.Lifecycle{Unprotected: true, Removal: values.Denied}, "Prune=false"},
		{machine.Lifecycle{Strategy: values.Rollout}, ""},
		{machine.Lifecycle{Strategy: values.Rollout, Removal: values.Denied}, "Prune=false"},
		{machine.Lifecycle{Strategy: values.Pool, Removal: values.Approved}, "Prune=true"},
		{machine.Lifecycle{Strategy: values.Replace, Removal: values.Denied}, "Prune=false,Force=true,Replace=true"},
		{machine.Lifecycle{Strategy: values.BlueGreen, Unprotected: true}, "PruneLast=true"},
	} {
		m := linuxMachine(t)
		m.Lifecycle = test.lc
		require.Equal(t, test.want, guarded(render(t, m)).Annotations[argocd.SyncOptionsAnnotation], "%+v", test.lc)
	}
}

// The user's options are merged with those of the lifecycle, wherever they are written.
// Removing the latter is an error unless the VM is unprotected.
func TestProtection(t *testing.T) {
	const (
		options = `metadata: {annotations: {argocd.argoproj.io/sync-options: `
		weaker  = "which protects the VM, is removed"
	)
	green := machine.Lifecycle{Strategy: values.BlueGreen}
	guarded := machine.Lifecycle{Protect: true}
	tests := map[string]struct {
		lc          machine.Lifecycle
		annotations map[string]string
		override    string
		want        string // options
		wrong       string // part of the message
	}{
		"another option": {
			annotations: syncOptionsOf("ServerSideApply=true"),
			want:        "Prune=false,Delete=confirm,ServerSideApply=true",
		},
		"nothing":           {annotations: syncOptionsOf(""), want: "Prune=false,Delete=confirm"},
		"a stronger option": {annotations: syncOptionsOf("Delete=false"), want: "Prune=false,Delete=false"},
		"a weaker option": {
			annotations: syncOptionsOf("Prune=confirm"),
			wrong:       "Prune=confirm removes the protection of Prune=false",
		},
		"true": {annotations: syncOptionsOf("Delete=true"), wrong: "Delete=true removes"},
		"in overrides": {
			override: options + "Validate=false}}",
			want:     "Prune=false,Delete=confirm,Validate=false",
		},
		"in overrides, weaker": {
			override: options + "Prune=true}}",
			wrong:    `overrides: metadata.annotations["argocd.argoproj.io/sync-options"]: Prune=true removes`,
		},
		"null in overrides":       {override: options + "null}}", wrong: weaker},
		"all annotations removed": {override: "metadata: {annotations: null}", wrong: weaker},
		"the last one of blue-green": {
			lc: green, annotations: syncOptionsOf("PruneLast=false"),
			wrong: "PruneLast=false removes",
		},
		"blue-green": {lc: green, annotations: syncOptionsOf("A=b"), want: "PruneLast=true,A=b"},
		"protection: none": {
			lc: machine.Lifecycle{Unprotected: true}, annotations: syncOptionsOf("Prune=true"),
			want: "Prune=true",
		},
		"the label": {
			lc: guarded, override: `metadata: {labels: {kubevirt.io/vm-delete-protection: null}}`,
			wrong: "metadata.labels[\"kubevirt.io/vm-delete-protection\"]: `protect: true` sets",
		},
		"another value of the label": {
			lc: guarded, override: `metadata: {labels: {kubevirt.io/vm-delete-protection: "False"}}`,
			wrong: "`protect: true` sets",
		},
		"another wave": {
			annotations: map[string]string{argocd.SyncWaveAnnotation: "7"},
			wrong:       "use `wave` instead",
		},
		"a weight of Helm, which is a wave": {
			annotations: map[string]string{argocd.HookWeightAnnotation: "7"},
			wrong:       argocd.HookWeightAnnotation,
		},
		"a hook of Helm": {
			annotations: map[string]string{"helm.sh/hook": "pre-install"},
			wrong:       "deletes a VM that is a hook",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.Lifecycle, m.Annotations = test.lc, test.annotations
			if test.override != "" {
				m.Overrides = []*source.Node{tree(t, "vms.yaml", test.override+"\n")}
			}
			if test.wrong != "" {
				require.Contains(t, strings.Join(problems(t, m), "\n"), test.wrong)
				return
			}
			vm := find[*kubevirtv1.VirtualMachine](t, render(t, m))
			require.Equal(t, test.want, vm.Annotations[argocd.SyncOptionsAnnotation])
		})
	}
}

func syncOptionsOf(text string) map[string]string {
	return map[string]string{argocd.SyncOptionsAnnotation: text}
}

// Labels and annotations under vmrender.io/ stay as rendered.
func TestReserved(t *testing.T) {
	plain, rollout := machine.Lifecycle{}, machine.Lifecycle{Strategy: values.Rollout}
	for _, test := range []struct {
		lc              machine.Lifecycle
		override, wrong string
	}{
		{plain, `metadata: {labels: {vmrender.io/rollout: f-b37a71c4}}`, `metadata.labels["vmrender.io/rollout"]`},
		{
			plain, `metadata: {annotations: {vmrender.io/lifecycle: cattle}}`,
			`metadata.annotations["vmrender.io/lifecycle"]`,
		},
		{rollout, `metadata: {labels: null}`, `metadata.labels["vmrender.io/rollout"]`},
		{
			rollout, `spec: {template: {metadata: {labels: {vmrender.io/pool: a}}}}`,
			`spec.template.metadata.labels["vmrender.io/pool"]`,
		},
	} {
		m := linuxMachine(t)
		m.Lifecycle, m.Overrides = test.lc, []*source.Node{tree(t, "vms.yaml", test.override+"\n")}
		require.Contains(t, strings.Join(problems(t, m), "\n"), "vms.web01.overrides: "+test.wrong+": is set by vmrender")
	}
	m := linuxMachine(t)
	m.Patches = operations(t, "- {op: remove, path: /metadata/annotations/vmrender.io~1lifecycle}\n")
	require.Contains(t, strings.Join(problems(t, m), "\n"), "vms.web01.patches[0]: metadata.annotations")
}

// The explanation matches the output.
func TestPolicyOfWhatIsRendered(t *testing.T) {
	said := func(write func(*machine.Machine)) string {
		m := linuxMachine(t)
		write(m)
		var text strings.Builder
		for _, f := range lifecycle.PolicyOf(m, VM(m)).Facts {
			if f.On != lifecycle.OnChange {
				text.WriteString(f.Text + "\n")
			}
		}
		return text.String()
	}
	pet := said(func(*machine.Machine) {})
	require.Contains(t, pet, "The VirtualMachine stays as it is")
	require.Contains(t, pet, "waits until the deletion is confirmed")
	require.NotContains(t, pet, "without confirmation")

	none := said(func(m *machine.Machine) { m.Lifecycle.Unprotected = true })
	require.NotContains(t, none, "stays as it is")
	require.NotContains(t, none, "waits until")
	require.Contains(t, none, "without confirmation")

	removed := said(func(m *machine.Machine) {
		m.Lifecycle.Unprotected, m.Lifecycle.Protect = true, true
		m.Overrides = []*source.Node{tree(t, "vms.yaml", "metadata: {labels: {kubevirt.io/vm-delete-protection: null}}\n")}
	})
	require.NotContains(t, removed, "OpenShift rejects")
	require.Contains(t, said(func(m *machine.Machine) { m.Lifecycle.Protect = true }), "OpenShift rejects")

	confirmed := said(func(m *machine.Machine) { m.Lifecycle.Removal = values.Confirm })
	require.Contains(t, confirmed, "a revert in Git has no effect")
	require.Contains(t, said(func(m *machine.Machine) {
		m.Lifecycle = machine.Lifecycle{Strategy: values.Pool, Removal: values.Denied}
	}), "The pool with its VirtualMachines stays")
}
