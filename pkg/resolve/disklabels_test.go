package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

func TestDiskLabels(t *testing.T) {
	const defaults = "defaults: {os: fedora, diskLabels: {backup: gold}}"
	for _, c := range []struct {
		disk string
		want map[string]string
	}{
		{"{size: 1Gi}", map[string]string{"backup": "gold"}},
		{"{size: 1Gi, labels: {tier: \"{{ .vm.name }}\"}}", map[string]string{"backup": "gold", "tier": "it"}},
		{"{size: 1Gi, labels: {backup: silver}}", map[string]string{"backup": "silver"}},
		{"{size: 1Gi, labels: {backup: null}}", map[string]string{}},
		{"{source: {claim: mine}}", nil},
		{"{size: 1Gi, source: {emptyDisk: true}}", nil},
	} {
		machines, problems := inFleet(t, defaults, "disks: {data: "+c.disk+"}", fleet.Options{})
		require.Empty(t, problems, c.disk)
		require.Equal(t, c.want, machines[0].Disks[1].Labels, c.disk)
	}
}

// The image of the operating system lacks the agent, but another image may contain it.
func TestGuestAgentOfAnotherImage(t *testing.T) {
	const probe = "readinessProbe: {guestAgentPing: {}}, "
	for keys, warns := range map[string]bool{
		"os: debian13": true,
		"os: own":      false,
		"os: bare":     true,
		"os: fedora":   false,
		"os: debian13, disks: {root: {source: {registry: \"docker://example.org/a:1\"}}}": false,
	} {
		const catalog = "catalog: {os: {own: &image {from: debian13, image: {registry: \"docker://example.org/a:1\"}}, " +
			"bare: {<<: *image, guestAgent: false}}}"
		_, problems := inFleet(t, catalog, probe+keys, fleet.Options{})
		require.Equal(t, warns, len(problems) == 1, "%s: %s", keys, problems)
	}
}
