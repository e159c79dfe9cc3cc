package source

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecodeLongNumbers proves that a quantity with so many digits that computing it
// would take hours is rejected, whether it is written as a number or as a string.
func TestDecodeLongNumbers(t *testing.T) {
	for _, text := range []string{"1e-2147483648", "1E+99999", `"1e2147483647"`, strings.Repeat("9", 1001)} {
		_, problems := decodeText(t, "memory: "+text)
		require.Contains(t, problems, "is not a quantity; write a number with or without a unit", text)
	}
	for _, text := range []string{"1e9", "12E", "1e-999", "16Gi", "100Ei"} {
		m, problems := decodeText(t, "memory: "+text)
		require.Empty(t, problems)
		require.Equal(t, text, m.Memory.text)
	}
}
