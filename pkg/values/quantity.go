package values

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/catalog"
)

// LeastBytes is the smallest plausible size of memory or a disk: KubeVirt accepts 0
// and 1Ki, with which no guest boots (kubevirt/kubevirt pkg/virt-api/webhooks, v1.8.4).
const LeastBytes = 1 << 20

// MostMemory is the size of memory in bytes above which no computer has it: addresses of x86-64 have 52 bits (AMD64
// Architecture Programmer's Manual, volume 2, 5.1).
const MostMemory = 1 << 52

// ParseMemory is like [ParseQuantity], for the memory of a VM.
func ParseMemory(text string) (int64, error) {
	n, err := parseQuantity(text, catalog.OfMemory)
	if err == nil && n > MostMemory {
		err = fmt.Errorf("%q is more than any computer has; expected at most \"4Pi\"", text)
	}
	return n, err
}

// ParseQuantity parses a Kubernetes quantity of bytes, of a disk, that is not negative.
// Its error contains what is accepted, and the nearest valid form if there is
// one.
func ParseQuantity(text string) (int64, error) { return parseQuantity(text, catalog.OfDisk) }

func parseQuantity(text string, unit catalog.Unit) (int64, error) {
	if n, ok := binaryQuantity(text); ok {
		return n, nil
	}
	q, err := quantities.Parse(text)
	if err != nil {
		return 0, errors.New(catalog.InvalidQuantity(text) + "; " + catalog.NearQuantity(text))
	}
	if q.Sign() < 0 {
		return 0, fmt.Errorf("negative quantity %q; expected a quantity such as \"16Gi\"", text)
	}
	if q.CmpInt64(math.MaxInt64) >= 0 { // the parser lowers quantities with a binary unit to that
		return 0, fmt.Errorf("%q is more than any computer has; expected a quantity such as \"16Gi\"", text)
	}
	n, ok := q.AsInt64()
	if !ok {
		n = q.Value()
	}
	if n <= 0 {
		return n, nil
	}
	if n < LeastBytes && isNumber(text) {
		return 0, errors.New(unit(text))
	}
	return n, nil
}

// binaryQuantity returns the bytes of a quantity as nearly all are written, such as 16Gi. resource.ParseQuantity, with
// which FuzzParseQuantity compares it, takes many times as long.
func binaryQuantity(text string) (n int64, ok bool) {
	const mostDigits, suffix = 6, 2 // no overflow
	digits := len(text) - suffix
	if digits < 1 || digits > mostDigits || text[digits+1] != 'i' {
		return 0, false
	}
	power := strings.IndexByte("KMGT", text[digits])
	if power < 0 {
		return 0, false
	}
	for _, c := range []byte(text[:digits]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n << (10 * (power + 1)), true
}

func isNumber(text string) bool {
	return strings.Trim(text, "0123456789.") == ""
}
