package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// requireAsked fails a scenario that ends without running `vmrender status` after its
// last commit.
func (s *scenario) requireAsked() {
	s.Helper()
	if !s.Failed() && !s.Skipped() && s.unasked {
		s.Error("the scenario does not ask for the status after its last commit")
	}
}

// runStatus runs `vmrender status` on the fleet and the cluster.
func (s *scenario) runStatus() (stdout, stderr []byte, err error) {
	s.Helper()
	s.unasked = false
	var out, problems bytes.Buffer
	command := exec.CommandContext(s.Context(), lab.Programs["vmrender"], "status", filepath.Join(s.repository.Dir, s.root),
		"--namespace", s.name, "--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig, "-o", "json")
	command.Stdout, command.Stderr = &out, &problems
	err = command.Run()
	return out.Bytes(), problems.Bytes(), err
}

// status returns the status of the VMs that differ from Git, by name: the state, and the
// texts of the facts, the worst first.
func (s *scenario) status() map[string]string {
	s.Helper()
	stdout, stderr, err := s.runStatus()
	require.NoError(s, err, string(stderr))
	var report struct {
		VMs []struct {
			Name, State string
			Facts       []struct{ Says string }
		}
	}
	require.NoError(s, json.Unmarshal(stdout, &report))
	out := map[string]string{}
	for _, vm := range report.VMs {
		says := make([]string, len(vm.Facts))
		for i := range vm.Facts {
			says[i] = vm.Facts[i].Says
		}
		out[vm.Name] = vm.State + ": " + strings.Join(says, "; ")
	}
	return out
}

// stands waits until status reports the wanted states of the VMs that differ from Git,
// and no others. A wanted value is the state, or the beginning of the state and its
// facts: "restart", or "restart: waits for a restart: memory".
func (s *scenario) stands(want map[string]string) {
	s.Helper()
	var last map[string]string
	s.eventually(fmt.Sprintf("the status %v", want), func() bool {
		if now := s.status(); !maps.Equal(last, now) {
			last = now
			s.Logf("the status is %v", now)
		}
		return maps.EqualFunc(want, last, func(want, says string) bool {
			state, _, _ := strings.Cut(says, ": ")
			return want == state || strings.Contains(want, ": ") && strings.HasPrefix(says, want)
		})
	})
}

// statusRefuses requires that status reports nothing, and gives the reason.
func (s *scenario) statusRefuses(why string) {
	s.Helper()
	stdout, stderr, err := s.runStatus()
	require.Error(s, err)
	require.Empty(s, stdout)
	require.Contains(s, string(stderr), why)
}
