// Package kustomize builds an example with the code that repo-server runs for the Applications of kustomize.
package kustomize

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/kustomize"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/stretchr/testify/require"
)

// command runs a program, and returns its output.
func command(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return out
}

// TestBuild builds the example with the build options of the how-to page: the objects are those of `vmrender template`.
// An error in a file of the fleet is in the error that Argo CD shows.
func TestBuild(t *testing.T) {
	bin, repository := t.TempDir(), t.TempDir()
	command(t, "../../..", "go", "build", "-o", bin, "./cmd/vmrender")
	command(t, "../../krm", "go", "build", "-o", bin+"/", "tool")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir := filepath.Join(repository, "kustomize")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../examples/kustomize")))
	want, err := kube.SplitYAML(command(t, dir, "vmrender", "template", "fleet"))
	require.NoError(t, err)

	app := kustomize.NewKustomizeApp(repository, dir, git.NopCreds{}, "", filepath.Join(bin, "kustomize"), "", "")
	options := &v1alpha1.KustomizeOptions{BuildOptions: "--enable-alpha-plugins --enable-exec"}
	got, _, _, err := app.Build(nil, options, nil, &kustomize.BuildOpts{})
	require.NoError(t, err)
	require.Equal(t, want, got)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet", "wrong.yaml"), []byte("vms: {a: {memroy: 1Gi}}\n"), 0o600))
	_, _, _, err = app.Build(nil, options, nil, &kustomize.BuildOpts{})
	require.ErrorContains(t, err, `fleet/wrong.yaml:1:11: vms.a.memroy: unknown key "memroy"; did you mean "memory"?`)

	_, _, _, err = app.Build(nil, &v1alpha1.KustomizeOptions{}, nil, &kustomize.BuildOpts{})
	require.ErrorContains(t, err, "external plugins disabled")
}
