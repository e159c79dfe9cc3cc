package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // defaults and conversions of Deployments
	"k8s.io/kubernetes/pkg/apis/apps/validation"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // and of their contents
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifests returns the directory of Argo CD's own installation.
func manifests(t *testing.T) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(dir)), "manifests", "base")
}

// repoServer returns Argo CD's own Deployment.
func repoServer(t *testing.T) *appsv1.Deployment {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests(t), repoServerManifest))
	require.NoError(t, err)
	d := new(appsv1.Deployment)
	require.NoError(t, yaml.UnmarshalStrict(text, d))
	return d
}

// The manifests of the servers that read argocd-cmd-params-cm.
const (
	controllerManifest = "application-controller/argocd-application-controller-statefulset.yaml"
	repoServerManifest = "repo-server/argocd-repo-server-deployment.yaml"
	serverManifest     = "server/argocd-server-deployment.yaml"
)

// variables maps the keys of argocd-cmd-params-cm to the variables that the servers of manifests read.
func variables(t *testing.T, files ...string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(manifests(t), file))
		require.NoError(t, err)
		var workload struct {
			Spec struct{ Template corev1.PodTemplateSpec }
		}
		require.NoError(t, yaml.Unmarshal(text, &workload))
		for _, v := range workload.Spec.Template.Spec.Containers[0].Env {
			if from := v.ValueFrom; from != nil && from.ConfigMapKeyRef != nil {
				names[from.ConfigMapKeyRef.Key] = v.Name
			}
		}
	}
	return names
}

type build struct {
	deployment *appsv1.Deployment
	settings   *corev1.ConfigMap // argocd-cm
	parameters *corev1.ConfigMap // argocd-cmd-params-cm
	server     *appsv1.Deployment
	extension  *corev1.ConfigMap
	git        *corev1.ConfigMap
}

// kustomize builds the kustomization in plugin/kustomize/README.md with Argo CD's own files.
func kustomize(t *testing.T) build {
	t.Helper()
	fs := filesys.MakeFsInMemory()
	write := func(name string, text []byte) { require.NoError(t, fs.WriteFile(name, text)) }
	write("/site/kustomization.yaml", []byte("namespace: argocd\nresources: [repo-server.yaml, server.yaml, argocd-cm.yaml, argocd-cmd-params-cm.yaml]\ncomponents: [../vmrender]\n"))
	for name, file := range map[string]string{
		"repo-server.yaml": repoServerManifest, "server.yaml": serverManifest,
		"argocd-cm.yaml": "config/argocd-cm.yaml", "argocd-cmd-params-cm.yaml": "config/argocd-cmd-params-cm.yaml",
	} {
		text, err := os.ReadFile(filepath.Join(manifests(t), file))
		require.NoError(t, err)
		write("/site/"+name, text)
	}
	component, err := filepath.Glob(pluginDir + "/kustomize/*.yaml")
	require.NoError(t, err)
	for _, path := range append(component, pluginDir+"/kustomize/extension-vmrender.js", pluginDir+"/kustomize/gitconfig") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		write("/vmrender/"+filepath.Base(path), text)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/site")
	require.NoError(t, err)
	out := build{
		new(appsv1.Deployment), new(corev1.ConfigMap), new(corev1.ConfigMap), new(appsv1.Deployment), new(corev1.ConfigMap),
		new(corev1.ConfigMap),
	}
	take(t, built, "argocd-repo-server", out.deployment)
	take(t, built, "argocd-cm", out.settings)
	take(t, built, "argocd-cmd-params-cm", out.parameters)
	take(t, built, "argocd-server", out.server)
	take(t, built, "vmrender-extension", out.extension)
	take(t, built, "vmrender-git", out.git)
	return out
}

func take(t *testing.T, built resmap.ResMap, name string, into any) {
	t.Helper()
	for _, r := range built.Resources() {
		if r.GetName() == name {
			text, err := r.AsYAML()
			require.NoError(t, err)
			require.NoError(t, yaml.UnmarshalStrict(text, into))
			return
		}
	}
	require.Fail(t, "not built", name)
}

// extend adds to a pod, and to its repo-server, what Helm and the operator add from lists.
func extend(
	t *testing.T, d *appsv1.Deployment, containers []corev1.Container, volumes []corev1.Volume, env []corev1.EnvVar,
	mounts []corev1.VolumeMount,
) {
	t.Helper()
	server := container(t, d, "argocd-repo-server")
	server.Env, server.VolumeMounts = append(server.Env, env...), append(server.VolumeMounts, mounts...)
	pod := &d.Spec.Template.Spec
	pod.Containers = append(pod.Containers, containers...)
	pod.Volumes = append(pod.Volumes, volumes...)
}

func sidecar(t *testing.T, d *appsv1.Deployment) *corev1.Container {
	t.Helper()
	return container(t, d, "vmrender")
}

func container(t *testing.T, d *appsv1.Deployment, name string) *corev1.Container {
	t.Helper()
	pod := &d.Spec.Template.Spec
	i := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == name })
	require.NotEqual(t, -1, i)
	return &pod.Containers[i]
}

// check checks that Kubernetes accepts the repo-server and that its sidecar can
// do its work and nothing else. user is 0 if the platform chooses it.
func check(t *testing.T, d *appsv1.Deployment, user int64) {
	t.Helper()
	require.Empty(t, problems(t, d))
	c := sidecar(t, d)
	require.Equal(t, []string{"/var/run/argocd/argocd-cmp-server"}, c.Command)

	mounts := map[string]string{}
	for _, m := range c.VolumeMounts {
		mounts[m.MountPath] = m.Name
	}
	require.Equal(t, map[string]string{
		"/var/run/argocd": "var-files", "/home/argocd/cmp-server/plugins": "plugins", "/tmp": "vmrender-tmp",
	}, mounts)
	server := container(t, d, "argocd-repo-server")
	require.Contains(t, server.VolumeMounts, corev1.VolumeMount{Name: "plugins", MountPath: "/home/argocd/cmp-server/plugins"})
	require.NotContains(t, server.VolumeMounts, corev1.VolumeMount{Name: "vmrender-tmp", MountPath: "/tmp"})

	s := c.SecurityContext
	require.True(t, *s.ReadOnlyRootFilesystem && *s.RunAsNonRoot)
	require.False(t, *s.AllowPrivilegeEscalation)
	require.Equal(t, []corev1.Capability{"ALL"}, s.Capabilities.Drop)
	require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, s.SeccompProfile.Type)
	if user == 0 {
		require.Nil(t, s.RunAsUser)
	} else {
		require.Equal(t, user, *s.RunAsUser)
	}

	require.Len(t, c.Env, 2)
	require.Equal(t, corev1.EnvVar{Name: "VMRENDER_IMAGE", Value: c.Image}, c.Env[0])
	require.Equal(t, "GOMEMLIMIT", c.Env[1].Name)
	mebibytes, err := strconv.ParseInt(strings.TrimSuffix(c.Env[1].Value, "MiB"), 10, 64)
	require.NoError(t, err)
	directory := workDirectory(t, d)
	require.Equal(t, corev1.StorageMediumMemory, directory.Medium, "unpacking on a disk takes longer than rendering")
	processes := c.Resources.Limits.Memory().Value() - directory.SizeLimit.Value()
	require.Equal(t, mebibytes<<20, processes*3/4, "what is in the directory counts towards the container's limit")
}

// gitVolume returns the ConfigMap with the settings of git in a repo-server that reads its file gitconfig.
func gitVolume(t *testing.T, d *appsv1.Deployment) *corev1.ConfigMapVolumeSource {
	t.Helper()
	server, volumes := container(t, d, "argocd-repo-server"), d.Spec.Template.Spec.Volumes
	env := slices.IndexFunc(server.Env, func(v corev1.EnvVar) bool { return v.Name == "GIT_CONFIG_GLOBAL" })
	require.NotEqual(t, -1, env)
	mount := slices.IndexFunc(server.VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.MountPath+"/gitconfig" == server.Env[env].Value
	})
	require.NotEqual(t, -1, mount)
	volume := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == server.VolumeMounts[mount].Name })
	require.NotEqual(t, -1, volume)
	require.True(t, *volumes[volume].ConfigMap.Optional, "a pod without the ConfigMap would not start")
	return volumes[volume].ConfigMap
}

// workDirectory returns the volume that repositories are unpacked in.
func workDirectory(t *testing.T, d *appsv1.Deployment) *corev1.EmptyDirVolumeSource {
	t.Helper()
	volumes := d.Spec.Template.Spec.Volumes
	i := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == "vmrender-tmp" })
	require.NotEqual(t, -1, i)
	require.NotNil(t, volumes[i].EmptyDir)
	return volumes[i].EmptyDir
}

// problems returns the errors of the Kubernetes API server for a Deployment.
func problems(t *testing.T, d *appsv1.Deployment) field.ErrorList {
	t.Helper()
	d = d.DeepCopy()
	d.Namespace = "argocd"
	legacyscheme.Scheme.Default(d)
	internal := new(apps.Deployment)
	require.NoError(t, legacyscheme.Scheme.Convert(d, internal, nil))
	return validation.ValidateDeployment(internal, corevalidation.PodValidationOptions{})
}
