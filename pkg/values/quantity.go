package values

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/catalog"
)

// kind is a kind of quantity: the unit of a number without one, and the bound in bytes with its problem.
type kind struct {
	unit catalog.Unit
	most int64
	much string
}

var (
	ofMemory = kind{catalog.OfMemory, sizes.MostMemory, `%q is more than any computer has; expected at most "4Pi"`}
	ofDisk   = kind{catalog.OfDisk, sizes.MostDisk, `%q is more than any disk has; expected less than "8Ei"`}
)

// ParseMemory is like [ParseQuantity], for the memory of a VM.
func ParseMemory(text string) (int64, error) { return ofMemory.parse(text) }

// ParseQuantity parses a Kubernetes quantity of bytes, of a disk, that is not negative.
// Its error contains what is accepted, and the nearest valid form if there is
// one.
func ParseQuantity(text string) (int64, error) { return ofDisk.parse(text) }

// MuchMemory returns the problem of a quantity of memory that no computer has, or "" if the text is another one, or
// none.
func MuchMemory(text string) string { return ofMemory.problem(text) }

// MuchDisk is like [MuchMemory], for the size of a disk.
func MuchDisk(text string) string { return ofDisk.problem(text) }

func (k *kind) problem(text string) string {
	if q, err := quantities.Parse(text); err == nil && q.CmpInt64(k.most) > 0 {
		return fmt.Sprintf(k.much, text)
	}
	return ""
}

func (k *kind) parse(text string) (int64, error) {
	if n, ok := binaryQuantity(text); ok && n <= k.most {
		return n, nil
	}
	q, err := quantities.Parse(text)
	if err != nil {
		return 0, errors.New(catalog.InvalidQuantity(text) + "; " + catalog.NearQuantity(text))
	}
	if q.Sign() < 0 {
		return 0, fmt.Errorf("negative quantity %q; expected a quantity such as \"16Gi\"", text)
	}
	if q.CmpInt64(k.most) > 0 { // also if the parser has lowered it to what has 63 bits
		return 0, fmt.Errorf(k.much, text)
	}
	n, ok := q.AsInt64()
	if !ok {
		n = q.Value()
	}
	if n <= 0 {
		return n, nil
	}
	if n < sizes.LeastBytes && isNumber(text) {
		return 0, errors.New(k.unit(text))
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
