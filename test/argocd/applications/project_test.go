package applications

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// By Argo CD's own rules, the project of a tenant allows its Application. It allows no
// other namespace, cluster, repository, or kind, and no cluster-scoped object.
func TestProjectOfATenant(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(examples, "tenant.yaml"))
	require.NoError(t, err)
	all := documents("tenant", text)
	require.Len(t, all, 2)
	var project v1alpha1.AppProject
	var app v1alpha1.Application
	decode(t, all[0].text, &project)
	decode(t, all[1].text, &app)
	require.Equal(t, project.Name, app.Spec.Project)
	require.Equal(t, "argocd", project.Namespace)
	require.True(t, project.IsAppNamespacePermitted(&app, "argocd"))

	cluster := &v1alpha1.Cluster{Name: app.Spec.Destination.Name, Server: "https://east.example.com"}
	permitted := func(cluster *v1alpha1.Cluster, namespace string) bool {
		ok, err := project.IsDestinationPermitted(cluster, namespace, nil)
		require.NoError(t, err)
		return ok
	}
	require.True(t, permitted(cluster, "shop"))
	require.False(t, permitted(cluster, "kube-system"))
	require.False(t, permitted(&v1alpha1.Cluster{Name: "west", Server: "https://west.example.com"}, "shop"))
	require.True(t, project.IsSourcePermitted(*app.Spec.Source))
	require.False(t, project.IsSourcePermitted(v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/other/vms.git"}))

	require.True(t, project.IsGroupKindPermitted(schema.GroupKind{Group: "kubevirt.io", Kind: "VirtualMachine"}, true))
	require.False(t, project.IsGroupKindPermitted(schema.GroupKind{Group: "apps", Kind: "Deployment"}, true))
	for _, kind := range []string{"Namespace", "PersistentVolume"} {
		require.False(t, project.IsGroupKindPermitted(schema.GroupKind{Kind: kind}, false))
	}
	require.False(t, app.Spec.SyncPolicy.SyncOptions.HasOption("CreateNamespace=true"))
}

// The window of a project is valid in Argo CD and is the window of its Application.
func TestRestartWindow(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(examples, "tenant.yaml"))
	require.NoError(t, err)
	all := documents("tenant", text)
	var project v1alpha1.AppProject
	var app v1alpha1.Application
	decode(t, all[0].text, &project)
	decode(t, all[1].text, &app)
	require.NoError(t, project.ValidateProject())
	windows := project.Spec.SyncWindows.Matches(&app)
	require.True(t, windows.HasWindows())
	app.Name = "another"
	require.False(t, project.Spec.SyncWindows.Matches(&app).HasWindows())
}
