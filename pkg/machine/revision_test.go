package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The first revision of a disk has the claim of a disk without one, and each other a claim of its own.
func TestClaimsOfRevisions(t *testing.T) {
	for disks, want := range map[string][]string{
		"{data: 1Gi}": {"a", "a-data"},
		"{root: {revision: 1}, data: {size: 1Gi, revision: 1}}":      {"a", "a-data"},
		"{root: {revision: 2}, data: {size: 1Gi, revision: 13}}":     {"a-root-2", "a-data-13"},
		"{root: {revision: 2, keep: false}, data: {size: 1Gi}}":      {"a-root-2", "a-data"},
		"{root: {revision: 2}, data: {size: 1Gi}, a-2: {size: 1Gi}}": {"a-root-2", "a-data", "a-a-2"},
	} {
		machines, problems := load(t, "vms: {a: {disks: "+disks+"}}\n")
		require.Empty(t, problems, disks)
		var claims []string
		for _, d := range machines[0].Disks {
			claims = append(claims, d.Claim)
		}
		require.Equal(t, want, claims, disks)
		require.Equal(t, disks != "{data: 1Gi}", machines[0].CopiesVolumes())
	}
}

// The second disk of a VM that a rollout restarts is made anew by another revision: KubeVirt copies nothing.
func TestRevisionOfCattle(t *testing.T) {
	machines, problems := load(t, "vms: {a: {lifecycle: cattle, disks: {data: {size: 1Gi, keep: false, revision: 2}}}}\n")
	require.Empty(t, problems)
	require.Equal(t, "a-data-2", machines[0].Disks[1].Claim)
	require.False(t, machines[0].CopiesVolumes())
}
