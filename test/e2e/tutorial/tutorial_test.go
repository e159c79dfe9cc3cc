package tutorial_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/tutorial"
)

// waits is the output of a kubectl wait that ends while an event arrives: a line of its log, and
// the result.
const waits = `I1123 02:10:07.551219     156 reflector.go:664] "Warning: watch ended with error" ` +
	`reflector="k8s.io/client-go/tools/cache/reflector.go:343" type="*unstructured.Unstructured" ` +
	`err="an error on the server (\"unable to decode an event from the watch stream: context canceled\") ` +
	`has prevented the request from succeeding"
application.argoproj.io/vms condition met
`

// A page shows the result of a wait, but not whether kubectl was processing an event as it
// ended.
func TestReadLeavesOutTheEndOfAWatch(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "output"), []byte(waits), 0o600))
	page := filepath.Join(dir, "page.md")
	shown := "```console\n$ cat output >&2\napplication.argoproj.io/vms condition met\n```\n"
	require.NoError(t, os.WriteFile(page, []byte(shown), 0o600))
	reader := tutorial.Reader{Dir: dir}
	reader.Read(t, page)
}
