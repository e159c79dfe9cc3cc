package impact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/kinds"
)

// The reference must not leave out a rule, because readers could not check it.
func TestTopicsHaveEveryRule(t *testing.T) {
	require.Len(t, Rules(), len(MachineRules())+len(PoolRules())+len(ObjectRules()))
	for _, topic := range Topics() {
		require.NotEmpty(t, topic.Rules, topic.Title)
		for _, r := range topic.Rules {
			require.NotEmpty(t, r.Source, "%s: %s", topic.Title, r.Path)
		}
	}
}

// The table of kinds has levels that exist: a misspelled one would be none.
func TestKindsHaveLevels(t *testing.T) {
	for _, k := range kinds.All() {
		for _, name := range []string{k.Level, k.Removed} {
			if name != "" {
				var l Level
				require.NoError(t, l.UnmarshalText([]byte(name)), k.Name)
				require.Greater(t, l, Create, k.Name)
			}
		}
	}
	for _, e := range kinds.Effects() {
		var l Level
		require.NoError(t, l.UnmarshalText([]byte(e.Level)), e.Does)
		require.Greater(t, l, Create, e.Does)
	}
}
