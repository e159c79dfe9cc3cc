package rule

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stable are the identifiers that users may have written into filters. Add to the list;
// never remove or change an entry.
const stable = `
ambiguous-name ambiguous-scalar anchor approval bad-glob bad-ip bad-label bad-mac bad-name
bad-option bad-parameter bad-path bad-quantity bad-source bad-uuid bad-value bad-version
below-minimum blue-green chart cloud-config conflict cycle default-image delivery depth documents duplicate
duplicate-key empty-file encode encoding expansion file-size firmware gate guest-agent held identity impact
inline-secret invalid-value key-type kubevirt-version machine-type migrate migration-network missing-key no-effect
no-fleet
no-headroom no-match no-root no-vms not-migratable not-updated not-values object-kind openshift out-of-range
output-size patch
placement platform-network pod-annotation pointer policy prerequisite protection refused remote removal
replace reserved shared-object shrinks stopped strategy sync-options tag target template
unknown-catalog unknown-key unknown-layer unknown-name unknown-value unknown-version unmanaged unpaired
unreachable unreadable unsafe unserved values volatile-root wrong-type yaml-syntax
`

func TestIdentifiersAreStable(t *testing.T) {
	var got []string
	for _, id := range slices.Sorted(maps.Keys(meanings)) {
		got = append(got, string(id))
	}
	require.Equal(t, strings.Fields(stable), got)
}

func TestMeaning(t *testing.T) {
	for id, meaning := range meanings {
		require.Equal(t, meaning, Meaning(id))
		require.Regexp(t, "^[`A-Z].*\\.$", meaning, "%s: a sentence", id)
	}
	require.Empty(t, Meaning("no-such-rule"))
}
