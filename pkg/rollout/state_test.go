package rollout

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// playState returns a cluster with objects of every kind, in two namespaces and in none.
func playState() (*Cluster, *fake.FakeDynamicClient) {
	kinds := map[schema.GroupVersionResource]string{}
	var all []runtime.Object
	drains, drills := onlyIn(drainKinds, stateKinds), onlyIn(drillKinds, stateKinds, drainKinds)
	for _, k := range slices.Concat(stateKinds, drains, drills) {
		namespaces := []string{"prod", "other"}
		if k.everywhere {
			namespaces = []string{""}
		}
		for _, version := range k.versions {
			r := schema.GroupVersionResource{Group: k.group, Version: version, Resource: k.resource}
			kinds[r] = k.resource + "List"
		}
		for _, ns := range namespaces {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(schema.GroupVersionKind{Group: k.group, Version: k.versions[0], Kind: k.resource})
			u.SetName("a-" + k.resource)
			u.SetNamespace(ns)
			all = append(all, u)
		}
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	for _, o := range all {
		u := o.(*unstructured.Unstructured)
		gvk := u.GroupVersionKind()
		_ = client.Tracker().Create(gvk.GroupVersion().WithResource(gvk.Kind), u, u.GetNamespace())
	}
	return &Cluster{objects: client}, client
}

// onlyIn returns the kinds that are in none of other lists.
func onlyIn(kinds []stateKind, others ...[]stateKind) []stateKind {
	all := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(kinds), func(d stateKind) bool {
		return slices.ContainsFunc(all, func(s stateKind) bool { return s.resource == d.resource })
	})
}

// The states for a drain and for a drill have every kind that they need, from all namespaces, and no Secrets.
func TestEverywhere(t *testing.T) {
	for name, kinds := range map[string][]stateKind{"drain": drainKinds, "drill": drillKinds} {
		c, client := playState()
		list := map[string]func(context.Context) ([]byte, []string, error){"drain": c.Drain, "drill": c.Drill}[name]
		stream, unread, err := list(context.Background())
		require.NoError(t, err)
		require.Empty(t, unread)
		for _, k := range kinds {
			require.Contains(t, string(stream), `"name":"a-`+k.resource+`"`)
		}
		require.Contains(t, string(stream), `"namespace":"other"`)
		require.Len(t, client.Actions(), len(kinds))
		for _, action := range client.Actions() {
			require.Equal(t, "list", action.GetVerb())
			require.NotEqual(t, "secrets", action.GetResource().Resource)
		}
	}
}

// The state has every kind, only from the requested namespaces, and needs only list
// requests. Secrets are not read.
func TestState(t *testing.T) {
	c, client := playState()
	stream, unread, err := c.State(context.Background(), []string{"prod"})
	require.NoError(t, err)
	require.Empty(t, unread)
	for _, k := range stateKinds {
		require.Equal(t, 1, strings.Count(string(stream), `"name":"a-`+k.resource+`"`), k.resource)
	}
	require.NotContains(t, string(stream), "other")
	for _, action := range client.Actions() {
		require.Equal(t, "list", action.GetVerb())
		require.NotEqual(t, "secrets", action.GetResource().Resource)
	}
}

// Forbidden kinds are reported, and kinds that the cluster does not serve are left out.
// Of two versions, the served one is read.
func TestStatePartly(t *testing.T) {
	c, client := playState()
	client.PrependReactor("list", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		r := action.GetResource()
		switch {
		case r.Resource == "nodes" || r.Resource == "resourcequotas":
			return true, nil, apierrors.NewForbidden(r.GroupResource(), "", nil)
		case r.Resource == "ansiblejobs" || r.Version == "v1beta1" && r.Group == "hco.kubevirt.io":
			return true, nil, apierrors.NewGenericServerResponse(404, "list", r.GroupResource(), "", "", 0, false)
		case r.Resource == "hyperconvergeds":
			u := unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "hco.kubevirt.io/v1", "kind": "HyperConverged", "metadata": map[string]any{"name": "newer"},
			}}
			return true, &unstructured.UnstructuredList{Object: map[string]any{}, Items: []unstructured.Unstructured{u}}, nil
		}
		return false, nil, nil
	})
	stream, unread, err := c.State(context.Background(), []string{"prod"})
	require.NoError(t, err)
	require.Equal(t, []string{"resourcequotas in prod", "nodes"}, unread)
	require.Contains(t, string(stream), "a-virtualmachines")
	require.Contains(t, string(stream), "newer")
	require.NotContains(t, string(stream), "ansiblejobs")
}

// All pages of a list are read.
func TestStatePages(t *testing.T) {
	c, client := playState()
	pages := 0
	client.PrependReactor("list", "virtualmachines", func(clienttesting.Action) (bool, runtime.Object, error) {
		pages++
		name, next := "first", "page2"
		if pages == 2 {
			name, next = "second", ""
		}
		u := unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": map[string]any{"name": name},
		}}
		list := &unstructured.UnstructuredList{Object: map[string]any{}, Items: []unstructured.Unstructured{u}}
		list.SetContinue(next)
		return true, list, nil
	})
	stream, _, err := c.State(context.Background(), []string{metav1.NamespaceAll})
	require.NoError(t, err)
	require.Contains(t, string(stream), "first")
	require.Contains(t, string(stream), "second")
}

// An API server that rejects the client's credentials is an error immediately.
func TestStateRefused(t *testing.T) {
	c, client := playState()
	client.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewUnauthorized("who are you?")
	})
	_, _, err := c.State(context.Background(), []string{"prod"})
	require.ErrorContains(t, err, "list virtualmachines.kubevirt.io in namespace prod: who are you?")
}

func TestDial(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := `{apiVersion: v1, kind: Config, current-context: a,
clusters: [{name: c, cluster: {server: "https://c.example.com"}}],
contexts: [{name: a, context: {cluster: c}}, {name: b, context: {cluster: c}}]}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for context, want := range map[string]string{"": "a", "b": "b"} {
		_, name, err := Dial(file, context)
		require.NoError(t, err)
		require.Equal(t, want, name)
	}
	_, _, err := Dial(file, "unknown")
	require.ErrorContains(t, err, `context "unknown" does not exist`)
	_, _, err = Dial(filepath.Join(t.TempDir(), "none"), "")
	require.ErrorContains(t, err, "reading the kubeconfig")
}

// The roles in the documentation grant exactly what is read, and the documented commands
// export it.
func TestStateDocumented(t *testing.T) {
	for page, kinds := range map[string][]stateKind{
		"live.md": stateKinds, "drain.md": drainKinds, "drill.md": drillKinds,
	} {
		text, err := os.ReadFile("../../docs/how-to/" + page)
		require.NoError(t, err)
		_, role, _ := strings.Cut(string(text), "kind: ClusterRole\n")
		role, _, _ = strings.Cut(role, "```")
		var granted, read []string
		for line := range strings.Lines(role) {
			_, rule, isRule := strings.Cut(line, "resources: [")
			if !isRule {
				continue
			}
			require.Contains(t, line, "verbs: [list]}")
			rule, _, _ = strings.Cut(rule, "]")
			granted = append(granted, strings.Split(rule, ", ")...)
		}
		_, command, _ := strings.Cut(string(text), "kubectl get ")
		command, _, _ = strings.Cut(command, "\n")
		optional := map[string]bool{"ansiblejobs": true, "plans": true}
		for _, k := range kinds {
			read = append(read, k.resource)
			group := k.group
			if group == "" {
				group = `""`
			}
			require.Regexp(t, `apiGroups: \[`+group+`\], resources: \[[^\]]*\b`+k.resource+`\b`, role)
			require.True(t, optional[k.resource] || strings.Contains(command, k.resource), k.resource)
		}
		require.ElementsMatch(t, read, granted)
	}
}
