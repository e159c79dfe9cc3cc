package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// endlessCharts are templates of a chart that would keep the sidecar busy for minutes: Helm's engine has no bounds.
var endlessCharts = map[string]string{
	"nested loops": `{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}`,
	"keys":         `{{ range until 1000 }}{{ $x := genPrivateKey "rsa" }}{{ end }}`,
	"passwords":    `{{ range until 10000 }}{{ $x := bcrypt "x" }}{{ end }}`,
}

// A layer whose chart does not come to an end is ended, and the message names the layer.
func TestTimeOfChartsIsBounded(t *testing.T) {
	bin := build(t, ".", "../vmrender")
	for name, template := range endlessCharts {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "c", "templates"), 0o700))
			write(t, dir, "platform.yaml", text{start: platformHeader + "layers: {c: {chart: ./c}}\n"})
			write(t, dir, "c/Chart.yaml", text{start: "apiVersion: v2\nname: c\nversion: 1.0.0\n"})
			write(t, dir, "c/templates/t.yaml", text{start: template})
			// The limit of the shell is lower than that of the sidecar, so that the test is short.
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -t 2 && exec "$0" generate`, filepath.Join(bin, "vmrender-cmp"))
			cmd.Dir = dir
			cmd.Env = []string{
				"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=.",
				`ARGOCD_APP_PARAMETERS=[{"name": "layer", "string": "c"}]`,
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			require.Error(t, cmd.Run())
			require.Empty(t, stdout.String())
			require.Equal(t, `vmrender-cmp generate: running vmrender for the layer "c" of platform.yaml: needs more than 2s of `+
				"CPU time, which is all that one render may use; see what its templates and charts repeat, or divide it among "+
				"several Applications\n", stderr.String())
		})
	}
}
