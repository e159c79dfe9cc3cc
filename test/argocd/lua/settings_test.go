// Package lua checks the effect of plugin/customizations with Argo CD's own
// code: its settings parse the generated files, and its engine runs the
// scripts.
package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"
)

const plugin = "../../../plugin"

// kind is an entry of customizations.yaml, with the fields that tests read.
type kind struct {
	Group, Kind, Health, Actions string
	Ignore                       []struct{ Field string }
}

// key returns the kind's name in the settings.
func (k kind) key() string {
	return lua.GetConfigMapKey(schema.GroupVersionKind{Group: k.Group, Kind: k.Kind})
}

func readKinds(t *testing.T) []kind {
	t.Helper()
	var table struct{ Kinds []kind }
	readYAML(t, filepath.Join(plugin, "customizations", "customizations.yaml"), &table)
	require.NotEmpty(t, table.Kinds)
	return table.Kinds
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), path)
}

func readConfigMap(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plugin, "kustomize", "argocd-cm.yaml"))
	require.NoError(t, err)
	var cm corev1.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict(text, &cm))
	require.Equal(t, common.ArgoCDConfigMapName, cm.Name)
	return cm.Data
}

// overrides returns the customizations as Argo CD's settings pass them to its components.
func overrides(t *testing.T) map[string]v1alpha1.ResourceOverride {
	t.Helper()
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      common.ArgoCDConfigMapName,
			Namespace: "argocd",
			Labels:    map[string]string{"app.kubernetes.io/part-of": "argocd"},
		},
		Data: readConfigMap(t),
	}
	manager := settings.NewSettingsManager(t.Context(), fake.NewClientset(cm), "argocd")
	all, err := manager.GetResourceOverrides()
	require.NoError(t, err)
	return all
}

func TestSettingsHoldTheTable(t *testing.T) {
	all := overrides(t)
	delete(all, "*/*") // Argo CD's own, which ignores the status of everything
	for _, k := range readKinds(t) {
		override, ok := all[k.key()]
		require.True(t, ok, "%s is not in the ConfigMap", k.key())
		delete(all, k.key())

		script, err := os.ReadFile(filepath.Join(plugin, "customizations", k.Health, "health.lua"))
		require.NoError(t, err)
		require.Equal(t, string(script), override.HealthLua, k.key())
		require.False(t, override.UseOpenLibs, k.key())
		require.Equal(t, k.Actions != "", override.Actions != "", k.key())

		var fields []string
		for _, f := range k.Ignore {
			fields = append(fields, f.Field)
		}
		require.Equal(t, fields, override.IgnoreDifferences.JSONPointers, k.key())
		require.Empty(t, override.IgnoreDifferences.JQPathExpressions, k.key())
	}
	require.Empty(t, all, "in the ConfigMap, but not in the table")
}

// The chart copies configs.cm into the ConfigMap. The OpenShift GitOps operator
// creates the same keys from its three lists (argocd-operator,
// controllers/argocd/configmap.go).
func TestOtherFormsSayTheSame(t *testing.T) {
	want := readConfigMap(t)

	var chart struct {
		Configs struct{ CM map[string]string }
	}
	readYAML(t, filepath.Join(plugin, "helm", "customizations.yaml"), &chart)
	require.Equal(t, want, chart.Configs.CM)

	var argocd struct {
		Spec struct {
			ResourceHealthChecks      []struct{ Group, Kind, Check string }
			ResourceActions           []struct{ Group, Kind, Action string }
			ResourceIgnoreDifferences struct {
				ResourceIdentifiers []struct {
					Group, Kind   string
					Customization v1alpha1.OverrideIgnoreDiff
				}
			}
		}
	}
	readYAML(t, filepath.Join(plugin, "openshift-gitops", "customizations.yaml"), &argocd)
	got := map[string]string{}
	add := func(what, group, kind, value string) {
		if group != "" {
			group += "_"
		}
		got["resource.customizations."+what+"."+group+kind] = value
	}
	for _, c := range argocd.Spec.ResourceHealthChecks {
		add("health", c.Group, c.Kind, c.Check)
	}
	for _, c := range argocd.Spec.ResourceActions {
		add("actions", c.Group, c.Kind, c.Action)
	}
	for _, c := range argocd.Spec.ResourceIgnoreDifferences.ResourceIdentifiers {
		add("ignoreDifferences", c.Group, c.Kind, "jsonPointers:\n- "+strings.Join(c.Customization.JSONPointers, "\n- ")+"\n")
	}
	require.Equal(t, want, got)
}
