package openshift_test

import (
	"path/filepath"
	"testing"

	"github.com/vmrender/vmrender/test/e2e/openshift"
	"github.com/vmrender/vmrender/test/e2e/tutorial"
)

// A reader who follows docs/tutorials/platform.md from top to bottom gets the results that
// it shows, from an empty cluster, layer by layer, to the first VM.
func TestTutorialPlatform(t *testing.T) {
	releases := openshift.Releases()
	s := newCluster(t, releases[len(releases)-1])
	kubectl := prepared.Programs["kubectl"]
	reader := tutorial.Reader{
		Dir:      s.dir("reader"),
		Programs: map[string]string{"vmrender": prepared.Programs["vmrender"], "kubectl": kubectl, "oc": kubectl},
		Env:      append(tutorial.Author(), "KUBECONFIG="+s.Kubeconfig),
		StandIns: map[string]string{
			"https://git.example.com/my-site.git": tutorial.NewRepository(t, filepath.Join(s.dir("repositories"), "my-site.git")),
		},
	}
	reader.Read(t, filepath.Join(prepared.Root, "docs", "tutorials", "platform.md"))
}
