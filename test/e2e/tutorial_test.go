package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/gitrepo"
	"github.com/vmrender/vmrender/test/e2e/tutorial"
)

// A reader who follows docs/tutorials/first-vm.md from top to bottom gets the results that
// it shows. A VM comes up in Argo CD, is changed, and is deleted, and its disk stays until
// it is deleted.
func TestTutorialFirstVM(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(lab.Dir, "tutorials", "first-vm")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	reader := tutorial.Reader{
		Dir:      dir,
		Programs: map[string]string{"vmrender": lab.Programs["vmrender"], "kubectl": lab.Programs["kubectl"]},
		Env:      append(tutorial.Author(), "KUBECONFIG="+lab.cluster.Kubeconfig),
		StandIns: map[string]string{
			"https://git.example.com/my-vms.git": tutorial.NewRepository(t, filepath.Join(lab.Dir, "repositories", "my-vms.git")),
		},
	}
	reader.Read(t, filepath.Join(lab.Root, "docs", "tutorials", "first-vm.md"))

	s := &scenario{T: t, name: "vms", root: "fleet", repository: &gitrepo.Repository{Dir: filepath.Join(dir, "my-vms")}}
	s.stands(nil)
}
