package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// These errors appear only during rendering, each in the last VM of a fleet whose
// manifests are longer than the output buffer. They must be found before anything is
// written.
func TestLateErrorsLeaveStdoutEmpty(t *testing.T) {
	for name, vm := range map[string]string{
		"overrides":                 `{overrides: {spec: {tmplate: {}}}}`,
		"patches":                   `{patches: [{op: remove, path: /spec/nothing}]}`,
		"tolerations":               `{tolerations: [{efect: NoSchedule}]}`,
		"affinity":                  `{affinity: {nodeAfinity: {}}}`,
		"topologySpreadConstraints": `{topologySpreadConstraints: [{maxScew: 1}]}`,
		"readinessProbe":            `{readinessProbe: {htpGet: {}}}`,
		"livenessProbe":             `{livenessProbe: {htpGet: {}}}`,
		"accessCredentials":         `{accessCredentials: [{sshPublicKye: {}}]}`,
		"config drive without MAC": `{nics: [{network: pod, ip: 10.0.0.5/24}], ` +
			`cloudInit: {datasource: configDrive, user: a}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeFleet(t, "vms:\n  a: {replicas: 200}\n  z: "+vm+"\n")
			for _, format := range []string{"yaml", "json"} {
				status, stdout, stderr := run("template", dir, "-o", format)
				require.Equal(t, statusInvalid, status)
				require.Empty(t, stdout)
				require.Contains(t, stderr, filepath.Join(dir, "vms.yaml")+":3:")
			}
		})
	}
}

func writeFleet(t testing.TB, vms string) string {
	t.Helper()
	dir := t.TempDir()
	header := "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: test}\n" +
		"defaults: {namespace: prod, os: fedora, flavor: small}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte(vms), 0o644))
	return dir
}

// run runs a command line in this process.
func run(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	root := newRootCommand()
	root.SetOut(&out)
	root.SetErr(&err)
	status = execute(root, args)
	return status, out.String(), err.String()
}
