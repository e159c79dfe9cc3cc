package plugin

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const extensionFile = "extension-vmrender.js"

// extensions returns the extension of Argo CD's user interface as the installations without a file of it have it.
func extensions(t *testing.T) map[string]string {
	t.Helper()
	read := func(name string, into any) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, into))
	}
	var openshift corev1.ConfigMap
	read("openshift-gitops/extension.yaml", &openshift)
	var helm struct{ ExtraObjects []corev1.ConfigMap }
	read("helm/protection.yaml", &helm)
	var values corev1.ConfigMap
	for _, o := range helm.ExtraObjects {
		if o.Kind == "ConfigMap" && o.Name == openshift.Name {
			values = o
		}
	}
	require.Equal(t, "openshift-gitops", openshift.Namespace)
	return map[string]string{"helm": values.Data[extensionFile], "openshift-gitops": openshift.Data[extensionFile]}
}

// Every installation has the extension of the kustomize component, byte for byte, and a ConfigMap has room for it.
func TestInstallsHaveTheExtension(t *testing.T) {
	want, err := os.ReadFile("kustomize/" + extensionFile)
	require.NoError(t, err)
	require.Less(t, len(want), 500<<10, "a ConfigMap has at most 1 MiB")
	require.Regexp(t, `^extension(.*)\.js$`, extensionFile, "Argo CD v3.2.11, server/server.go, extensionsPattern")
	for install, text := range extensions(t) {
		require.Equal(t, string(want), text, install)
	}
	require.NotContains(t, string(want), "{{", "a template of the chart argo-cd, which renders its extraObjects")
}

// Every installation mounts the ConfigMap into argocd-server.
func TestInstallsMountTheExtension(t *testing.T) {
	type server struct {
		Volumes      []corev1.Volume
		VolumeMounts []corev1.VolumeMount
	}
	var helm struct{ Server server }
	var openshift struct{ Spec struct{ Server server } }
	var kustomize struct {
		Spec struct{ Template struct{ Spec corev1.PodSpec } }
	}
	for name, into := range map[string]any{"helm": &helm, "openshift-gitops": &openshift, "kustomize": &kustomize} {
		text, err := os.ReadFile(name + "/server.yaml")
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, into))
	}
	pod := kustomize.Spec.Template.Spec
	require.Equal(t, "argocd-server", pod.Containers[0].Name)
	want := server{pod.Volumes, pod.Containers[0].VolumeMounts}
	require.Equal(t, want, helm.Server)
	require.Equal(t, want, openshift.Spec.Server)
	require.Equal(t, "vmrender-extension", want.Volumes[0].ConfigMap.Name)
	require.True(t, strings.HasPrefix(want.VolumeMounts[0].MountPath, "/tmp/extensions/"))
}

// The extension reads nothing but the API of its own Argo CD, and evaluates conditions that rules have.
func TestExtensionStaysAtHome(t *testing.T) {
	source, err := os.ReadFile("extension/extension.js")
	require.NoError(t, err)
	text := string(source)
	require.Len(t, regexp.MustCompile(`\bfetch\(`).FindAllString(text, -1), 1)
	require.Contains(t, text, "new URL('api/v1/applications/' + name + '/' + what, document.baseURI)")
	for _, forbidden := range []string{
		"XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(", "eval(", "innerHTML", "localStorage",
	} {
		require.NotContains(t, text, forbidden)
	}
}
