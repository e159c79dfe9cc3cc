package manifest

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// appendFloat appends the shortest number that reads back as f: without an exponent
// between 1e-6 and 1e21, with one outside.
func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%v is not a JSON number", f)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits), nil
}

// encodeNumber writes a number that was read as text: an integer of any length as
// it is, anything else as a float64, which it is to every reader.
func encodeNumber(dst []byte, at unsafe.Pointer) ([]byte, error) {
	return appendNumber(dst, *(*string)(at))
}

// appendNumber appends a number as encodeNumber writes it.
func appendNumber(dst []byte, n string) ([]byte, error) {
	if isInteger(n) {
		return append(dst, n...), nil
	}
	f, err := strconv.ParseFloat(n, 64)
	if err != nil {
		return dst, fmt.Errorf("%q is not a JSON number", n)
	}
	return appendFloat(dst, f, 64)
}

func isInteger(s string) bool {
	if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	}
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
