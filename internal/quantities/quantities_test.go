package quantities_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"16Gi": "16Gi", "500m": "500m", "1e3": "1e3", "5E": "5E", "1e-12": "1n", "-1": "-1", "1.5Ti": "1536Gi",
	} {
		q, err := quantities.Parse(text)
		require.NoError(t, err, text)
		require.True(t, q.Equal(resource.MustParse(want)), text)
	}
}

// TestParseIsFast checks texts for which apimachinery alone computes for hours.
func TestParseIsFast(t *testing.T) {
	for _, text := range []string{
		"", "big", "1e-2147483648", "1e2147483647", "E555555591", "1E555555591",
		"10000000000000000000000000000000000000000000000000",
	} {
		_, err := quantities.Parse(text)
		require.ErrorIs(t, err, resource.ErrFormatWrong, text)
	}
}
