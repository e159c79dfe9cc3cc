package openshift_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// reconfigure makes a change that reaches nodes, and compares its plan with the effect on
// them. One of their networks is configured again, and each node is rebooted once more.
func (s *site) reconfigure() {
	s.Helper()
	configured, reboots := s.Configured("br1"), s.Reboots()
	s.replace("ports: [ens5f1]", "ports: [ens5f1, ens5f2]")
	s.replace("fileSize: 64Gi", "fileSize: 128Gi")
	revision, err := s.repository.Commit(s.Context(), "Another port, and more swap")
	require.NoError(s, err)
	require.Equal(s, map[string]string{
		"NodeNetworkConfigurationPolicy": "node-network", "MachineConfig": "node-reboot",
	}, s.plan())

	for _, layer := range []string{"network", "higher-density", "nodes"} {
		app := s.argo.Application("site-a-" + layer)
		require.NoError(s, app.Refresh(s.Context(), false))
		require.NoError(s, app.Wait(s.Context(), patience, argo.Synced(revision)), layer)
		require.NoError(s, app.Wait(s.Context(), patience, healthy), layer)
	}
	for node := range reboots {
		reboots[node]++
	}
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	require.NoError(s, process.Poll(ctx, func(context.Context) error {
		if now := s.Reboots(); !maps.Equal(now, reboots) {
			return fmt.Errorf("nodes have been rebooted %v times, not %v", now, reboots)
		}
		return nil
	}))
	require.Equal(s, configured+1, s.Configured("br1"))
}

// plan returns the levels of the objects that the last commit changes, by kind.
func (s *site) plan() map[string]string {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), prepared.Programs["vmrender"],
		"plan", filepath.Join(s.repository.Dir, "platform.yaml"), "--from", "HEAD~", "--to", "HEAD", "-o", "json")
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(s, command.Run(), stderr.String())
	var report struct {
		Objects []struct{ Kind, Level string }
	}
	require.NoError(s, json.Unmarshal(stdout.Bytes(), &report))
	levels := map[string]string{}
	for _, o := range report.Objects {
		levels[o.Kind] = o.Level
	}
	return levels
}
