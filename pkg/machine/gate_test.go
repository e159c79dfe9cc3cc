package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/machine"
)

// The digest of a change differs if any of its texts or of the gate's limits do, and has 128 bits.
func TestDigest(t *testing.T) {
	seen := map[string]bool{}
	for _, gate := range []machine.Gate{
		{}, {ApproveFrom: "live"}, {MaxImpact: "live"}, {ApproveFrom: "live", MaxImpact: "live"},
	} {
		for _, texts := range [][]string{nil, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"live"}, {"live", "live"}, {"1:a"}} {
			digest := gate.Digest(texts...)
			require.Regexp(t, "^[0-9a-f]{32}$", digest)
			require.False(t, seen[digest], "%v %q", gate, texts)
			seen[digest] = true
			require.Equal(t, digest, gate.Digest(texts...))
		}
	}
	require.Equal(t, "ffffffffffffffff-x", (&machine.Approval{Token: "none-ffffffffffffffff-x"}).To())
}
