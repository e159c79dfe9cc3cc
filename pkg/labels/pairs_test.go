package labels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/labels"
)

func TestPairs(t *testing.T) {
	pairs := map[string]string{"web-1": "1a2b=c", "web-0": ""}
	require.Equal(t, "web-0= web-1=1a2b=c", labels.FormatPairs(pairs))
	require.Equal(t, pairs, labels.ParsePairs("  web-1=1a2b=c nothing\nweb-0= "))
	require.Empty(t, labels.FormatPairs(nil))
}
