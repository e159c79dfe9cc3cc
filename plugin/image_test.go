package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contract "github.com/vmrender/vmrender/pkg/argocd/plugin"
)

// installs returns the manifests that contain the sidecar.
func installs() []string {
	return []string{"kustomize/repo-server.yaml", "helm/values.yaml", "openshift-gitops/argocd.yaml"}
}

// sidecarImages returns the sidecar's image in a manifest, and the image of the Jobs that it renders.
func sidecarImages(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)- name: vmrender\n +image: (\S+) .*- name: VMRENDER_IMAGE\n +value: (\S+) `).
		FindStringSubmatch(string(text))
	require.Len(t, found, 3, path)
	return found[1:]
}

// The unmodified manifests pull nothing from any registry.
func TestManifestsHaveNoImage(t *testing.T) {
	for _, path := range installs() {
		require.Equal(t, []string{contract.Placeholder, contract.Placeholder}, sidecarImages(t, path), path)
	}
}

// The command in README.md sets both images in all manifests and leaves no placeholder in any.
func TestDocumentedCommandSetsTheImage(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^sed .*$`).FindString(string(readme))
	require.Contains(t, command, contract.Placeholder)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "plugin"), os.DirFS(".")))
	run := exec.CommandContext(t.Context(), "bash", "-c", command)
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, path := range installs() {
		require.Equal(t, []string{"registry.example.com/vmrender:1", "registry.example.com/vmrender:1"},
			sidecarImages(t, filepath.Join(dir, "plugin", path)), path)
	}
	manifests, err := filepath.Glob(filepath.Join(dir, "plugin/*/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, manifests)
	for _, path := range manifests {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), contract.Placeholder, path)
	}
}

// The command in ci.md makes values with both images for the Argo CD of argocd-diff-preview, which reads them at this
// path (dag-andersen/argocd-diff-preview, docs/getting-started/custom-argo-cd-installation.md).
func TestDocumentedCommandMakesValues(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/ci.md")
	require.NoError(t, err)
	command := regexp.MustCompile(`(?m)^sed .* vmrender/plugin/helm/values.yaml > values.yaml$`).FindString(string(page))
	require.Contains(t, command, contract.Placeholder)
	require.Contains(t, string(page), `"$PWD/values.yaml:/argocd-config/values.yaml"`)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "vmrender/plugin"), os.DirFS(".")))
	run := exec.CommandContext(t.Context(), "bash", "-c", command)
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	const image = "registry.example.com/vmrender:1"
	require.Equal(t, []string{image, image}, sidecarImages(t, filepath.Join(dir, "values.yaml")))
	made, err := os.ReadFile(filepath.Join(dir, "values.yaml"))
	require.NoError(t, err)
	values, err := os.ReadFile("helm/values.yaml")
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(values), contract.Placeholder, image), string(made), "nothing else changes")
}

// An image of vmrender in a document, an example or a chart is in a registry that cannot exist (RFC 2606 and 6761), so
// that users who copy it do not pull a stranger's program.
func TestImagesAreInNoRegistry(t *testing.T) {
	image := regexp.MustCompile(`[\w./:-]*\bvmrender(:[\w.-]+|@sha256:\w+)`)
	seen := 0
	for _, dir := range []string{"../README.md", "../docs", "../examples", "../charts", "../apps", "../pkg", "../plugin"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range image.FindAllString(string(text), -1) {
				if strings.Contains(name, "://") {
					continue
				}
				seen++
				require.Regexp(t, `^(registry\.example(\.(com|org))?|registry\.invalid)/`, name, path)
			}
			return err
		}))
	}
	require.Greater(t, seen, 10)
}
