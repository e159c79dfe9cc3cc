package versions

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Version{
		"1.6": {1, 6}, "v1.6": {1, 6}, "1.6.5": {1, 6, 5}, "v1.6.5-rc.0": {1, 6, 5}, "1.6-rc.0": {1, 6},
		"1.10": {1, 10}, "v0.59.2": {0, 59, 2}, "1.6.x": {1, 6}, "4.18.0-rc.1": {4, 18}, "1.7.0-12-g0a1b2c": {1, 7},
		"1.6.5+a": {1, 6, 5},
	} {
		got := Parse(text)
		require.Equal(t, want, got, text)
		require.True(t, got.IsKnown(), text)
	}
	for _, text := range []string{"", "v", "1", "1.", ".6", "new", "1.x", "1.-6", "1.+6", "latest.1", "1.99999999999"} {
		require.False(t, Parse(text).IsKnown(), text)
	}
}

func TestBefore(t *testing.T) {
	for version, want := range map[string]bool{
		"1.5": true, "v1.5.9": true, "0.9": true, "v0.59.2": true,
		"1.6": false, "1.6.0": false, "1.6.1": false, "1.10": false, "2.0": false, "": false, "new": false,
	} {
		require.Equal(t, want, Before(version, "1.6"), version)
	}
	require.True(t, Before("1.6.4", "1.6.5"))
	require.False(t, Before("1.6.5-rc.0", "1.6.5"))
	require.Equal(t, Version{1, 6}, Parse("1.6.5").Minor())
}
