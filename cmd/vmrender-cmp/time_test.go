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
			shell := `ulimit -t 2 && exec "$0" generate`
			cmd := exec.CommandContext(t.Context(), "sh", "-c", shell, filepath.Join(bin, "vmrender-cmp"))
			cmd.Dir = dir
			cmd.Env = []string{
				"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=.",
				`ARGOCD_APP_PARAMETERS=[{"name": "layer", "string": "c"}]`,
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			require.Error(t, cmd.Run())
			require.Empty(t, stdout.String())
			require.Equal(t, `vmrender-cmp generate: running vmrender for the layer "c" of platform.yaml: needs more than 2s `+
				"of CPU time, which is all that one render may use; see what its templates and charts repeat, or divide it among "+
				"several Applications\n", stderr.String())
		})
	}
}

// slowInputs are small fleets and platforms that took minutes when every string had its own bound, and every wrong name
// was compared with all others, each with the error of generate or its start, or "" if it is valid.
var slowInputs = map[string]struct {
	fleet, vms string
	platform   string // instead of a fleet
	parameters string // of the Application
	want       string
}{
	"a generated catalog": {
		fleet: "catalog: {os: {\n" + each(3000, "c%d: {from: rhel9},\n") + "}}\n",
		vms:   "vms: {a: {os: c1, flavor: small}}\n",
	},
	"unknown systems among thousands": {
		fleet: "catalog: {os: {\n" + each(10_000, "c%d: {from: unknown},\n") + "}}\n",
		vms:   "vms: {a: {os: rhel9, flavor: small}}\n",
		want:  `fleet.yaml:5:12: catalog.os.c1.from: unknown operating system "unknown"; `,
	},
	"a wrong dependency of all VMs": {
		vms:  "vms:\n" + each(8000, "  v%d: {os: rhel9, flavor: small, dependsOn: [unknown]}\n"),
		want: `vms.yaml:2:46: vms.v1.dependsOn: no VM "unknown" is rendered with this one`,
	},
	"missing vars among thousands": {
		vms: "vars:\n" + each(4000, "  k%d: v\n") +
			"vms:\n" + each(4000, "  v%d: {os: rhel9, flavor: small, labels: {x: '{{ .vars.missing }}'}}\n"),
		want: `vms.yaml:4003:55: vms.v1.labels.x: template: missing variable "missing"; `,
	},
	"loops of replicas": {
		vms: "vms: {a: {os: rhel9, flavor: small, replicas: 10000, labels: {x: 'a{{ range until 20000 }}{{ end }}'}}}\n",
		want: "vms.yaml:1:66: vms.a.labels.x: template: takes too much work: " +
			"with those before it in the same entry, the functions and loops of its templates read and make more than",
	},
	"loops of many VMs": {
		fleet: "defaults: {labels: {x: 'a{{ range until 20000 }}{{ end }}'}}\n",
		vms:   "vms:\n" + each(2000, "  v%d: {os: rhel9, flavor: small}\n"),
		want:  "fleet.yaml: the templates take too much work",
	},
	"expressions of replicas": {
		vms: "vms: {a: {os: rhel9, flavor: small, replicas: 10000, labels: {x: 'a" +
			"{{ range until 50 }}{{ if regexMatch \"(a|b|ab)*c\" (repeat 1000 \"ab\") }}{{ end }}{{ end }}'}}}\n",
		want: "vms.yaml:1:66: vms.a.labels.x: template: takes too much work: " +
			"with those before it in the same entry, the functions and loops of its templates read and make more than",
	},
	"unknown VMs among thousands": {
		vms:        "vms:\n" + each(4000, "  v%d: {os: rhel9, flavor: small}\n"),
		parameters: `[{"name": "vm", "array": [` + each(4000, `"u%d", `) + `"v1"]}]`,
		want:       `parameter "vm": unknown VM "u1"; did you mean "v1"?` + "\n",
	},
	"loops of a platform": {
		platform: "layers: {network: {values: {networks: [\n" +
			each(2000, "\"{{ range until 20000 }}{{ end }}x%d\",\n") + "]}}}\n",
		parameters: `[{"name": "layer", "string": "network"}]`,
		want: "[144]: template: takes too much work: " +
			"with those before it, the functions and loops of all templates read and make more than",
	},
	"replicas of several entries": {
		vms:  "vms:\n" + each(1000, "  v%d0000000: {os: rhel9, flavor: small, replicas: 10000}\n"),
		want: "vms.yaml:6:3: vms.v50000000: 50000 VMs up to this one are too many for one Application",
	},
	"patches of replicas": {
		vms: "vms: {a: {os: rhel9, flavor: small, replicas: 10000, patches: [" +
			each(200, "{op: add, path: /spec/template/spec/nodeSelector, value: {a: b%d}}, ") + "]}}\n",
		want: "vms.yaml:1:7: vms.a: 10000 VMs up to this one, which count as ",
	},
	"thousands of vars for thousands of replicas": {
		vms: "vars:\n" + each(20_000, "  k%d: v\n") +
			"vms: {a: {os: rhel9, flavor: small, replicas: 10000, labels: {x: '{{ upper \"a\" }}'}}}\n",
	},
}

// No input of less than 1 MiB takes more than 10 seconds of CPU time.
func TestTimeIsBounded(t *testing.T) {
	bin := build(t, ".", "../vmrender")
	for name, input := range slowInputs {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if input.platform != "" {
				write(t, dir, "platform.yaml", text{start: platformHeader + input.platform})
			} else {
				write(t, dir, "fleet.yaml", text{start: header + input.fleet})
				write(t, dir, "vms.yaml", text{start: input.vms})
			}
			shell := `ulimit -t 10 && exec "$0" generate`
			cmd := exec.CommandContext(t.Context(), "sh", "-c", shell, filepath.Join(bin, "vmrender-cmp"))
			cmd.Dir = dir
			cmd.Env = []string{
				"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=.", "ARGOCD_APP_PARAMETERS=" + input.parameters,
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			require.Equal(t, input.want == "", err == nil, stderr.String())
			require.Equal(t, input.want == "", stdout.Len() > 0)
			require.Contains(t, stderr.String(), input.want)
		})
	}
}
