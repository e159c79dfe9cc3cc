package install_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/argoproj/argo-cd/v3/cmpserver/plugin"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

const pluginDir = "../../../plugin"

// TestPlugin reads plugin.yaml as cmp-server does.
func TestPlugin(t *testing.T) {
	var strict plugin.PluginConfig
	decode(t, "plugin.yaml", &strict)
	config, err := plugin.ReadPluginConfig(pluginDir)
	require.NoError(t, err)
	require.Equal(t, strict, *config)
	require.Equal(t, "vmrender.sock", filepath.Base(config.Address()), "Applications name the plugin \"vmrender\"")
	require.False(t, config.Spec.Discover.IsDefined())
	require.Equal(t, []string{"vmrender-cmp"}, config.Spec.Generate.Command)
	require.Equal(t, []string{"vmrender-cmp"}, config.Spec.Parameters.Dynamic.Command)
	for _, p := range config.Spec.Parameters.Static {
		require.NotEmpty(t, p.Name)
		require.Contains(t, []string{"string", "array", "map"}, p.CollectionType, p.Name)
		require.NotEmpty(t, p.Tooltip, p.Name)
	}
}

// helmValues are the values of the argo-cd chart that install the sidecar
// (argo-helm, charts/argo-cd/templates/argocd-repo-server/deployment.yaml).
type helmValues struct {
	Configs struct {
		Params map[string]string `json:"params"`
	} `json:"configs"`
	RepoServer struct {
		Env             []corev1.EnvVar      `json:"env"`
		VolumeMounts    []corev1.VolumeMount `json:"volumeMounts"`
		ExtraContainers []corev1.Container   `json:"extraContainers"`
		Volumes         []corev1.Volume      `json:"volumes"`
	} `json:"repoServer"`
}

// argoCD is the part of the operator's resource that installs the sidecar
// (argocd-operator, api/v1beta1/argocd_types.go). The operator's module is not
// available from the Go module proxy.
type argoCD struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Controller struct {
			Env []corev1.EnvVar `json:"env"`
		} `json:"controller"`
		Repo struct {
			Env               []corev1.EnvVar      `json:"env"`
			VolumeMounts      []corev1.VolumeMount `json:"volumeMounts"`
			SidecarContainers []corev1.Container   `json:"sidecarContainers"`
			Volumes           []corev1.Volume      `json:"volumes"`
		} `json:"repo"`
	} `json:"spec"`
}

// TestKustomize builds Argo CD's repo-server with the component.
func TestKustomize(t *testing.T) {
	built := kustomize(t)
	check(t, built.deployment, 999)
	require.NotEmpty(t, built.settings.Data, "argocd-cm is patched, too")
	require.Equal(t, "argocd-repo-server", built.deployment.Spec.Template.Spec.Containers[0].Name, "the default of kubectl")

	plain := repoServer(t)
	require.Len(t, built.deployment.Spec.Template.Spec.Containers, len(plain.Spec.Template.Spec.Containers)+1)
	require.Len(t, built.deployment.Spec.Template.Spec.Volumes, len(plain.Spec.Template.Spec.Volumes)+2)
	require.Equal(t, built.git.Name, gitVolume(t, built.deployment).Name)
	require.Equal(t, "argocd", built.git.Namespace)
}

// TestKustomizeExtension builds Argo CD's server with the extension of its user interface.
func TestKustomizeExtension(t *testing.T) {
	built := kustomize(t)
	require.Empty(t, problems(t, built.server))
	want, err := os.ReadFile(filepath.Join(pluginDir, "kustomize", "extension-vmrender.js"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"extension-vmrender.js": string(want)}, built.extension.Data)
	require.Equal(t, "argocd", built.extension.Namespace)
	pod := built.server.Spec.Template.Spec
	server := container(t, built.server, "argocd-server")
	i := slices.IndexFunc(server.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "vmrender-extension" })
	require.Equal(t, "/tmp/extensions/vmrender", server.VolumeMounts[i].MountPath)
	i = slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "vmrender-extension" })
	require.Equal(t, built.extension.Name, pod.Volumes[i].ConfigMap.Name)
}

func TestHelm(t *testing.T) {
	var values helmValues
	decode(t, "helm/values.yaml", &values)
	d := repoServer(t) // the chart has its volumes, too
	server := values.RepoServer
	extend(t, d, server.ExtraContainers, server.Volumes, server.Env, server.VolumeMounts)
	check(t, d, 999)
	var protection struct {
		ExtraObjects []corev1.ConfigMap `json:"extraObjects"`
	}
	text, err := os.ReadFile(filepath.Join(pluginDir, "helm/protection.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &protection)) // other objects have more fields
	i := slices.IndexFunc(protection.ExtraObjects, func(c corev1.ConfigMap) bool { return c.Name == gitVolume(t, d).Name })
	require.Equal(t, kustomize(t).git.Data, protection.ExtraObjects[i].Data)
}

func TestOpenShiftGitOps(t *testing.T) {
	var instance argoCD
	decode(t, "openshift-gitops/argocd.yaml", &instance)
	require.Equal(t, "argoproj.io/v1beta1 ArgoCD", instance.APIVersion+" "+instance.Kind)
	d := repoServer(t) // the operator creates its volumes, too
	repo := instance.Spec.Repo
	extend(t, d, repo.SidecarContainers, repo.Volumes, repo.Env, repo.VolumeMounts)
	check(t, d, 0)
	var git corev1.ConfigMap
	decode(t, "openshift-gitops/git.yaml", &git)
	require.Equal(t, instance.Metadata.Namespace, git.Namespace)
	require.Equal(t, gitVolume(t, d).Name, git.Name)
	require.Equal(t, kustomize(t).git.Data, git.Data)
}

// Argo CD's own manifests read every setting, and all installations have the same settings.
func TestSettings(t *testing.T) {
	var values helmValues
	decode(t, "helm/values.yaml", &values)
	var instance argoCD
	decode(t, "openshift-gitops/argocd.yaml", &instance)

	settings := kustomize(t).parameters.Data
	require.Equal(t, settings, values.Configs.Params)
	variables := variables(t, controllerManifest, repoServerManifest)
	var env []corev1.EnvVar
	for key, value := range settings {
		require.Contains(t, variables, key)
		env = append(env, corev1.EnvVar{Name: variables[key], Value: value})
	}
	env = append(env, values.RepoServer.Env...)
	require.ElementsMatch(t, env, slices.Concat(instance.Spec.Controller.Env, instance.Spec.Repo.Env))
}

// TestChecksFind shows that a broken sidecar is refused.
func TestChecksFind(t *testing.T) {
	for name, spoil := range map[string]func(*corev1.Container){
		"unknown volume": func(c *corev1.Container) { c.VolumeMounts[0].Name = "none" },
		"no name":        func(c *corev1.Container) { c.Name = "" },
		"mounts twice":   func(c *corev1.Container) { c.VolumeMounts[0].MountPath = c.VolumeMounts[1].MountPath },
		"bad seccomp":    func(c *corev1.Container) { c.SecurityContext.SeccompProfile.Type = "Default" },
		"too much asked": func(c *corev1.Container) { c.Resources.Requests[corev1.ResourceMemory] = resource.MustParse("3Gi") },
	} {
		t.Run(name, func(t *testing.T) {
			d := kustomize(t).deployment
			require.Empty(t, problems(t, d))
			spoil(sidecar(t, d))
			require.NotEmpty(t, problems(t, d))
		})
	}
}

// decode reads a file under plugin/ and fails on fields that its type does not have.
func decode(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pluginDir, name))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, into), name)
}
