package platform

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	argocommon "github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	synccommon "github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const root = "../../.."

// rendering is an app-of-apps as Argo CD reads it.
type rendering struct {
	project v1alpha1.AppProject
	apps    map[string]v1alpha1.Application
}

// program is the path of vmrender.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vmrender-platform-")
	if err != nil {
		log.Fatal(err)
	}
	program = filepath.Join(dir, "vmrender")
	build := exec.Command("go", "build", "-o", program, "./cmd/vmrender")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		log.Fatalf("building vmrender: %v\n%s", err, output)
	}
	status := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		log.Fatal(err)
	}
	os.Exit(status)
}

// render returns the program's output for a platform, whatever its file is called.
func render(t *testing.T, file string) rendering {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "platform.yaml"), text, 0o600))
	// A platform's own charts and manifests are in a directory with its name.
	if beside := strings.TrimSuffix(file, ".yaml"); isDir(beside) {
		require.NoError(t, os.CopyFS(filepath.Join(dir, filepath.Base(beside)), os.DirFS(beside)))
	}
	var stdout, stderr bytes.Buffer
	call := exec.CommandContext(t.Context(), program, "template", dir, "--output", "json")
	call.Stdout, call.Stderr = &stdout, &stderr
	require.NoError(t, call.Run(), stderr.String())
	var list struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &list))
	require.NotEmpty(t, list.Items)
	r := rendering{apps: map[string]v1alpha1.Application{}}
	decode(t, list.Items[0], &r.project)
	for _, text := range list.Items[1:] {
		var app v1alpha1.Application
		decode(t, text, &app)
		require.NotContains(t, r.apps, app.Name)
		r.apps[app.Name] = app
	}
	return r
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// decode reads an object into Argo CD's type and checks that the type has every
// field and keeps every value.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict(text, into))
	again, err := json.Marshal(into)
	require.NoError(t, err)
	var want, got map[string]any
	require.NoError(t, yaml.Unmarshal(text, &want))
	require.NoError(t, json.Unmarshal(again, &got))
	delete(got, "status")
	require.Equal(t, want, got)
}

// Each Application may sync from its source to its destination under the
// project next to it, and may be retried.
func TestApplications(t *testing.T) {
	for _, pattern := range []string{"testdata/*.yaml", root + "/examples/*/platform.yaml", root + "/pkg/layers/testdata/platforms/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
				r := render(t, file)
				require.NoError(t, r.project.ValidateProject())
				for name, app := range r.apps {
					t.Run(name, func(t *testing.T) { permitted(t, r.project, app) })
				}
			})
		}
	}
}

func permitted(t *testing.T, project v1alpha1.AppProject, app v1alpha1.Application) {
	t.Helper()
	require.Equal(t, project.Name, app.Spec.Project)
	require.Equal(t, project.Namespace, app.Namespace)
	require.True(t, project.IsSourcePermitted(app.Spec.GetSource()))
	destination := &v1alpha1.Cluster{Name: app.Spec.Destination.Name, Server: app.Spec.Destination.Server}
	yes, err := project.IsDestinationPermitted(destination, app.Spec.Destination.Namespace, nil)
	require.NoError(t, err)
	require.True(t, yes)
	_, err = app.Spec.SyncPolicy.Retry.NextRetryAt(time.Time{}, 3)
	require.NoError(t, err)
}

// Argo CD understands a platform's layers as the platform defines them.
func TestEverything(t *testing.T) {
	r := render(t, "testdata/platform.yaml")
	require.Len(t, r.apps, 4)

	operators := r.apps["everything-operators"]
	require.Nil(t, operators.Spec.SyncPolicy.Automated)
	require.Equal(t, "layer", operators.Spec.Source.Plugin.Parameters[0].Name)
	require.Equal(t, "operators", *operators.Spec.Source.Plugin.Parameters[0].String_)

	network := r.apps["everything-network"]
	require.Equal(t, "true", network.Annotations[argocommon.AnnotationKeyAppSkipReconcile])
	require.Equal(t, "7", network.Annotations[synccommon.AnnotationSyncWave])

	helm := r.apps["everything-kubevirt"].Spec.Source
	kind, err := helm.ExplicitType()
	require.NoError(t, err)
	require.Equal(t, v1alpha1.ApplicationSourceTypeHelm, *kind)
	require.JSONEq(t, `{"cdi":{"enabled":false}}`, string(helm.Helm.ValuesObject.Raw))
	require.Equal(t, "charts/kubevirt", helm.Path)
}

// Argo CD's normalizer removes the ignored fields from their own objects only.
func TestIgnoredFields(t *testing.T) {
	app := render(t, "testdata/platform.yaml").apps["everything-storage"]
	require.True(t, app.Spec.SyncPolicy.SyncOptions.HasOption("RespectIgnoreDifferences=true"))
	normalizer, err := normalizers.NewIgnoreNormalizer(app.Spec.IgnoreDifferences, nil, normalizers.IgnoreNormalizerOpts{})
	require.NoError(t, err)
	for name, want := range map[string]string{
		"fast": `{"dataImportCronSourceFormat":"pvc"}`,
		"slow": `{"cloneStrategy":"copy","dataImportCronSourceFormat":"pvc"}`,
	} {
		var profile unstructured.Unstructured
		require.NoError(t, yaml.Unmarshal([]byte(`
apiVersion: cdi.kubevirt.io/v1beta1
kind: StorageProfile
metadata: {name: `+name+`, annotations: {example.com/owner: me}}
spec: {cloneStrategy: copy, dataImportCronSourceFormat: pvc}
`), &profile.Object))
		require.NoError(t, normalizer.Normalize(&profile))
		require.Empty(t, profile.GetAnnotations())
		spec, err := json.Marshal(profile.Object["spec"])
		require.NoError(t, err)
		require.JSONEq(t, want, string(spec), name)
	}
}

// The manifests that users start with decode, too.
func TestBootstrap(t *testing.T) {
	files, err := filepath.Glob(root + "/apps/bootstrap/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var header struct{ Kind string }
			require.NoError(t, yaml.Unmarshal(text, &header))
			switch header.Kind {
			case "Application":
				require.NoError(t, yaml.UnmarshalStrict(text, new(v1alpha1.Application)))
			case "ApplicationSet":
				require.NoError(t, yaml.UnmarshalStrict(text, new(v1alpha1.ApplicationSet)))
			default:
				require.Fail(t, "neither an Application nor an ApplicationSet", header.Kind)
			}
		})
	}
}

// A field that Argo CD does not have is reported.
func TestUnknownField(t *testing.T) {
	text := []byte(`{"kind":"Application","spec":{"syncPolicy":{"retries":{"limit":1}}}}`)
	require.ErrorContains(t, yaml.UnmarshalStrict(text, new(v1alpha1.Application)), `unknown field "retries"`)
}
