package values

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/sizes"
)

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]int64{
		"16Gi": 16 << 30, "512Mi": 512 << 20, "2Ti": 2 << 40, "1.5Gi": 3 << 29, "1G": 1e9, "1e9": 1e9, "1E": 1e18,
		"4294967296": 1 << 32, "1024k": 1024e3, "64Ki": 1 << 16, "1n": 1, "0": 0, "0Gi": 0, "Gi": 0,
		"00016Gi": 16 << 30,
	} {
		got, err := ParseQuantity(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestParseQuantityErrors(t *testing.T) {
	for text, want := range map[string]string{
		"16GB": `did you mean "16Gi"?`, "16 gib": `did you mean "16Gi"?`, "1.5g": `did you mean "1.5Gi"?`,
		"16":   `"16" is a number of bytes; did you mean "16Gi"?`,
		"-1Gi": "negative quantity", "": "expected a quantity such as", "1.2.3Gi": "expected a quantity such as",
		"99999999999999999999999999": "more than any disk has", "1e19": "more than any disk has",
		"8Ei": `more than any disk has; expected less than "8Ei"`, "999999999999999Ei": "more than any disk has",
		// These numbers have too many digits to compute.
		"1e-2147483648": "invalid quantity", "1e2147483647": "invalid quantity",
		"1E99999999999999999999": "invalid quantity", "1e-0001": "invalid quantity",
		strings.Repeat("1", 41): "invalid quantity", "0." + strings.Repeat("0", 1<<20) + "1": "invalid quantity",
	} {
		_, err := ParseQuantity(text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestParseMemory checks the unit that a number was meant in: small numbers are gibibytes, and those of vSphere and
// Terraform mebibytes.
func TestParseMemory(t *testing.T) {
	for text, want := range map[string]string{
		"16": `did you mean "16Gi"?`, "255": `did you mean "255Gi"?`, "256": `did you mean "256Mi"?`,
		"4096": `did you mean "4Gi" or "4096Mi"?`, "65536": `did you mean "64Gi" or "65536Mi"?`,
		"1500": `did you mean "1500Mi"?`, "0.5": `did you mean "0.5Gi"?`, "16GB": `did you mean "16Gi"?`,
		"5Pi": `more than any computer has; expected at most "4Pi"`, "999999999999999Ei": "more than any computer has",
	} {
		_, err := ParseMemory(text)
		require.ErrorContains(t, err, want, text)
	}
	n, err := ParseMemory("4Pi")
	require.NoError(t, err)
	require.EqualValues(t, sizes.MostMemory, n)
}

// FuzzParseQuantity proves that Kubernetes reads every accepted string as the same
// quantity.
func FuzzParseQuantity(f *testing.F) {
	for _, text := range []string{"16Gi", "999999Ti", "0Mi", "1.5Gi", "1e3", "-5", "+5Gi", "1e-999", "9Ei"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseQuantity(text)
		if err != nil {
			return
		}
		q, err := resource.ParseQuantity(text)
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, int64(0))
		require.Equal(t, q.Value(), n)
	})
}
