package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
)

// The first revision of a disk has the same claim as a disk without a revision. Every
// other revision has its own claim.
func TestClaimsOfRevisions(t *testing.T) {
	for disks, want := range map[string][]string{
		"{data: 1Gi}": {"a", "a-data"},
		"{root: {revision: 1}, data: {size: 1Gi, revision: 1}}":      {"a", "a-data"},
		"{root: {revision: 2}, data: {size: 1Gi, revision: 13}}":     {"a-root-2", "a-data-13"},
		"{root: {revision: 2, keep: false}, data: {size: 1Gi}}":      {"a-root-2", "a-data"},
		"{root: {revision: 2}, data: {size: 1Gi}, a-2: {size: 1Gi}}": {"a-root-2", "a-data", "a-a-2"},
	} {
		machines, problems := fleettest.Load(t, "vms: {a: {disks: "+disks+"}}\n")
		require.Empty(t, problems, disks)
		var claims []string
		for _, d := range machines[0].Disks {
			claims = append(claims, d.Claim)
		}
		require.Equal(t, want, claims, disks)
		require.Equal(t, disks != "{data: 1Gi}", machines[0].CopiesVolumes())
	}
}

// For a VM that a rollout restarts, another revision recreates a disk that is not kept:
// KubeVirt copies nothing.
func TestRevisionOfCattle(t *testing.T) {
	machines, problems := fleettest.Load(t,
		"vms: {a: {lifecycle: cattle, disks: {data: {size: 1Gi, keep: false, revision: 2}}}}\n")
	require.Empty(t, problems)
	require.Equal(t, "a-data-2", machines[0].Disks[1].Claim)
	require.False(t, machines[0].CopiesVolumes())
}

// A disk has the claim that is specified for it, or one derived from the name of its VM.
func TestNamedClaims(t *testing.T) {
	long := strings.Repeat("a", 63) + "." + strings.Repeat("b", 100)
	for disks, want := range map[string][]string{
		"{root: {claimName: boot}, data: {size: 1Gi, claimName: pvc.4711}}":          {"boot", "pvc.4711"},
		"{root: {claimName: boot, keep: false}, data: {size: 1Gi, claimName: ''}}":   {"boot", "a-data"},
		"{root: {claimName: boot, revision: 1}, data: {size: 1Gi}}":                  {"boot", "a-data"},
		"{root: {claimName: boot, revision: 2}, data: {size: 1Gi}}":                  {"boot-2", "a-data"},
		"{root: {claimName: '{{ .vm.name }}-b'}, data: {size: 1Gi, claimName: a-c}}": {"a-b", "a-c"},
		"{data: {size: 1Gi, claimName: " + long + "}}":                               {"a", long},
	} {
		machines, problems := fleettest.Load(t, "vms: {a: {disks: "+disks+"}}\n")
		require.Empty(t, problems, disks)
		var claims []string
		for _, d := range machines[0].Disks {
			claims = append(claims, d.Claim)
		}
		require.Equal(t, want, claims, disks)
	}
}

// Replicas get separate disks by a template, and duplicate disk names are reported.
func TestNamedClaimsOfReplicas(t *testing.T) {
	machines, problems := fleettest.Load(t, "vms: {a: {replicas: 2, disks: {root: {claimName: 'old-{{ .ordinal }}'}}}}\n")
	require.Empty(t, problems)
	require.Equal(t, "old-1", machines[1].Disks[0].Claim)
	_, problems = fleettest.Load(t, "vms: {a: {replicas: 2, disks: {root: {claimName: old}}}}\n")
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], `its DataVolume "old" is also one of the VM "a-0"`)
	_, problems = fleettest.Load(t,
		"vms: {a: {disks: {data: {size: 1Gi, claimName: "+strings.Repeat("b", 253)+", revision: 2}}}}\n")
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "vms.a.disks.data.claimName: invalid name")
}
