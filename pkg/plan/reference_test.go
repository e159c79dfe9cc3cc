package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The reference must not leave out a rule, because readers could not check it.
func TestTopicsHaveEveryRule(t *testing.T) {
	require.Len(t, Rules(), len(machineRules())+len(poolRules())+len(objectRules()))
	for _, topic := range Topics() {
		require.NotEmpty(t, topic.Rules, topic.Title)
		for _, r := range topic.Rules {
			require.NotEmpty(t, r.Source, "%s: %s", topic.Title, r.Path)
		}
	}
}
