package applications

import (
	"context"
	"path"
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	apppath "github.com/argoproj/argo-cd/v3/util/app/path"
	log "github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// files stands in for the repository server: it knows the files of a test's archive.
type files []string

// GetFiles is not used by the generators that vmrender prints.
func (files) GetFiles(context.Context, string, string, string, string, bool, bool) (map[string][]byte, error) {
	return nil, nil
}

// GetDirectories lists the directories of the files and their parents, without hidden ones, as
// repo-server does (argo-cd v3.2, reposerver/repository/repository.go, GetGitDirectories).
func (f files) GetDirectories(context.Context, string, string, string, bool, bool) ([]string, error) {
	var dirs []string
	for _, file := range f {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if path.Base(dir)[0] != '.' {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

func filesOf(t *testing.T, name string) files {
	t.Helper()
	var all files
	for _, f := range archive(t, name).Files {
		all = append(all, f.Name)
	}
	return all
}

func secret(name, tier string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "cluster-" + name, Namespace: "argocd",
			Labels: map[string]string{"argocd.argoproj.io/secret-type": "cluster", "vms": "enabled", "tier": tier},
		},
		Data: map[string][]byte{"name": []byte(name), "server": []byte("https://" + name + ".example.com"), "config": []byte("{}")},
	}
}

// generate returns, by name, the Applications that Argo CD's controller
// generates from a test's ApplicationSet in the test's own repository.
func generate(t *testing.T, script string) (v1alpha1.ApplicationSet, map[string]v1alpha1.Application) {
	t.Helper()
	log.SetLevel(log.ErrorLevel)
	var set v1alpha1.ApplicationSet
	decode(t, golden(t, script, "set.yaml"), &set)
	git := generators.NewGitGenerator(filesOf(t, script), "argocd")
	clusters := clusterGenerator(t, secret("east", "test"), secret("West_1", "live"))
	flat := map[string]generators.Generator{"Git": git, "Clusters": clusters}
	all := map[string]generators.Generator{"Git": git, "Clusters": clusters, "Matrix": generators.NewMatrixGenerator(flat)}
	apps, _, err := template.GenerateApplications(log.WithField("test", t.Name()), set, all, &utils.Render{}, kube(t))
	require.NoError(t, err)
	byName := map[string]v1alpha1.Application{}
	for _, app := range apps {
		require.NotContains(t, byName, app.Name)
		byName[app.Name] = app
	}
	return set, byName
}

// kube returns a cluster with Argo CD's default project and the given objects.
func kube(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: "argocd"}}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(objects, project)...).Build()
}

func clusterGenerator(t *testing.T, secrets ...*corev1.Secret) generators.Generator {
	t.Helper()
	var objects []client.Object
	var typed []runtime.Object
	for _, s := range secrets {
		objects, typed = append(objects, s), append(typed, s)
	}
	return generators.NewClusterGenerator(t.Context(), kube(t, objects...), clientgo.NewClientset(typed...), "argocd")
}

// Each directory with VMs becomes one Application. Its parents and directories without VMs do not.
func TestOnePerDirectory(t *testing.T) {
	_, apps := generate(t, "app_appset.txtar")
	paths := map[string]string{}
	for name, app := range apps {
		paths[name] = app.Spec.Source.Path
	}
	require.Equal(t, map[string]string{
		"site-a-lab": "site/lab", "site-a-prod-db": "site/prod/db", "site-a-prod-web": "site/prod/web",
	}, paths)
	web := apps["site-a-prod-web"]
	require.Equal(t, map[string]string{"vmrender.io/fleet": "site-a", "vmrender.io/directory": "prod"}, web.Labels)
	require.Equal(t, "{{x}}", parameter(t, web, "vars").Map["stage"], "what a person wrote is no template")
	require.Equal(t, []string{"/stages/test.yaml"}, parameter(t, web, "overlay").Array)
	require.Empty(t, web.Finalizers, "objects outlive their Application")
}

func parameter(t *testing.T, app v1alpha1.Application, name string) (found struct {
	Map   map[string]string
	Array []string
},
) {
	t.Helper()
	for _, p := range app.Spec.Source.Plugin.Parameters {
		if p.Name == name && p.OptionalMap != nil {
			found.Map = p.Map
		}
		if p.Name == name && p.OptionalArray != nil {
			found.Array = p.Array
		}
	}
	return found
}

// With clusters, each directory becomes one Application per cluster, with the cluster's overlay.
func TestOnePerCluster(t *testing.T) {
	_, apps := generate(t, "app_clusters.txtar")
	require.Len(t, apps, 6)
	web := apps["site-a-prod-web-west-1"]
	require.Equal(t, "West_1", web.Spec.Destination.Name)
	require.Empty(t, web.Spec.Destination.Server)
	require.Equal(t, "live", web.Labels["tier"])
	require.Equal(t, []string{"/stages/test.yaml", "/clusters/west-1.yaml"}, parameter(t, web, "overlay").Array)
	require.Equal(t, "test", apps["site-a-lab-east"].Labels["tier"])
}

// Argo CD renders an Application again only when the files that it is rendered from change.
func TestGeneratePaths(t *testing.T) {
	_, perDirectory := generate(t, "app_appset.txtar")
	_, perCluster := generate(t, "app_clusters.txtar")
	var whole, web, root v1alpha1.Application
	decode(t, golden(t, "app_application.txtar", "fleet.yaml"), &whole)
	decode(t, golden(t, "app_application.txtar", "web.yaml"), &web)
	decode(t, golden(t, "app_application.txtar", "fleet.yaml"), &root)
	root.Spec.Source.Path = "."
	for name, c := range map[string]struct {
		app       v1alpha1.Application
		yes, nope []string
	}{
		"fleet": {whole, []string{"site/fleet.yaml", "site/new/_defaults.yaml", "site/prod/web/web.yaml", "other.yaml"}, nil}, // without --generate-paths
		"root":  {root, []string{"fleet.yaml", "a/b.yaml"}, nil},
		"directory": {
			web,
			[]string{"site/fleet.yaml", "site/_defaults.yaml", "site/prod/_defaults.yaml", "site/prod/web/web.yaml", "site/prod/web/new/x.yaml", "stages/test.yaml"},
			[]string{"site/lab/lab.yaml", "site/prod/db/db.yaml", "site/prod/db/_defaults.yaml", "stages/live.yaml", "fleet.yaml"},
		},
		"of a set": {
			perDirectory["site-a-prod-web"],
			[]string{"site/fleet.yaml", "site/_defaults.yaml", "site/prod/_defaults.yaml", "site/prod/web/web.yaml", "stages/test.yaml"},
			[]string{"site/lab/lab.yaml", "site/lab/_defaults.yaml", "site/prod/db/db.yaml", "README.md"},
		},
		"directly below the root": {
			perDirectory["site-a-lab"],
			[]string{"site/fleet.yaml", "site/_defaults.yaml", "site/lab/_defaults.yaml"},
			[]string{"site/prod/_defaults.yaml", "site/prod/web/web.yaml"},
		},
		"of a cluster": {
			perCluster["site-a-prod-web-east"],
			[]string{"clusters/east.yaml", "stages/test.yaml", "site/prod/_defaults.yaml"},
			[]string{"clusters/west.yaml", "site/prod/db/db.yaml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			paths := apppath.GetSourceRefreshPaths(&c.app, c.app.Spec.GetSource())
			for _, file := range c.yes {
				require.True(t, apppath.AppFilesHaveChanged(paths, []string{file}), "%s in %v", file, paths)
			}
			for _, file := range c.nope {
				require.False(t, apppath.AppFilesHaveChanged(paths, []string{file}), "%s in %v", file, paths)
			}
		})
	}
}

// Every Application is in exactly one step, and the steps are in the requested order.
func TestSteps(t *testing.T) {
	for script, want := range map[string][][]string{
		"app_rolling.txtar": {{"site-a-lab"}, {"site-a-prod-db", "site-a-prod-web"}},
		"app_clusters.txtar": {
			{"site-a-lab-east", "site-a-prod-db-east", "site-a-prod-web-east"},
			{"site-a-lab-west-1", "site-a-prod-db-west-1", "site-a-prod-web-west-1"},
			nil,
		},
	} {
		set, apps := generate(t, script)
		var got [][]string
		for _, step := range set.Spec.Strategy.RollingSync.Steps {
			var names []string
			for name, app := range apps {
				if matches(app, step) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			got = append(got, names)
		}
		require.Equal(t, want, got, script)
	}
}

// matches reports whether an Application is in a step, as the controller decides it (argo-cd v3.2,
// applicationset/controllers/applicationset_controller.go, buildAppDependencyList, which is not
// exported).
func matches(app v1alpha1.Application, step v1alpha1.ApplicationSetRolloutStep) bool {
	for _, e := range step.MatchExpressions {
		value, has := app.Labels[e.Key]
		if listed := has && slices.Contains(e.Values, value); listed != (e.Operator == "In") {
			return false
		}
	}
	return true
}

// The command warns about names by the rule that templates follow here. Its test has the same table.
func TestNormalize(t *testing.T) {
	for text, want := range map[string]string{
		"prod-web": "prod-web", "Prod-Web_1": "prod-web-1", "v1.2": "v1.2", "_x_-y_": "x--y", "größe": "gr--e", "___": "",
	} {
		require.Equal(t, want, utils.SanitizeName(text))
	}
}
