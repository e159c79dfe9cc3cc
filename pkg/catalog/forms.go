package catalog

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/source"
)

// nameProblem returns what is wrong with the name of a Kubernetes object, a DNS
// subdomain (RFC 1123), or "" if nothing is.
func nameProblem(what, name string) string {
	const longest = 253
	if len(name) > longest {
		return fmt.Sprintf("%s %q has %d characters; at most %d are accepted", what, name, len(name), longest)
	}
	for part := range strings.SplitSeq(name, ".") {
		if !isLabel(part) {
			return fmt.Sprintf("invalid %s %q; expected a name of lower case letters, digits, \"-\" and \".\"", what, name)
		}
	}
	return ""
}

// isLabel reports whether s is a DNS label, of any length.
func isLabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// referenceProblem returns what is wrong with a `namespace/name`, or "" if nothing is.
func referenceProblem(what, ref string) string {
	const longestNamespace = 63
	namespace, name, found := strings.Cut(ref, "/")
	if !found || !isLabel(namespace) || len(namespace) > longestNamespace || nameProblem("", name) != "" {
		return fmt.Sprintf("invalid %s %q; expected namespace/name", what, ref)
	}
	return ""
}

// isQuantity reports whether s is an amount of bytes above zero in the usual form: a
// decimal number with one of the suffixes of Kubernetes, such as 30Gi, 1.5Ti or 512M.
// That is part of what resource.ParseQuantity of k8s.io/apimachinery accepts, without
// importing that large package.
func isQuantity(s string) bool {
	suffix := strings.TrimLeft(s, "0123456789.")
	number := s[:len(s)-len(suffix)]
	switch suffix {
	case "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei":
	default:
		return false
	}
	return strings.Count(number, ".") <= 1 && strings.Trim(number, "0.") != ""
}

// InvalidQuantity returns the problem of a text that is no quantity. It contains the text only if that begins with a
// number: any other can be a secret that stands next to its key.
func InvalidQuantity(text string) string {
	if !source.BeginsNumber(text) {
		return "invalid quantity"
	}
	return fmt.Sprintf("invalid quantity %q", text)
}

// NearQuantity returns what to write instead of an invalid quantity of bytes: what was
// probably meant, such as `did you mean "16Gi"?` for 16GB, or what is accepted.
func NearQuantity(text string) string {
	text = strings.TrimSpace(text)
	number := text[:len(text)-len(strings.TrimLeft(text, "0123456789."))]
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	const prefixes = "KMGTP"
	if unit != "" && strings.ContainsRune(prefixes, rune(unit[0])) && strings.Trim(unit[1:], "IB") == "" &&
		isQuantity(number) {
		return fmt.Sprintf("did you mean %q?", number+unit[:1]+"i")
	}
	return "expected a quantity such as \"16Gi\""
}

// Unit is what a quantity without a unit was probably meant in.
type Unit func(number string) string

// OfDisk returns the problem with a number of bytes that is too small for a disk: sizes of disks are written in
// gibibytes everywhere.
func OfDisk(number string) string { return fewBytes(number, number+"Gi") }

// OfMemory returns the problem with a number of bytes that is too small for memory. From 256 on it is one of mebibytes,
// as vSphere and Terraform write memory.
func OfMemory(number string) string {
	const least, kibi = 256, 1024
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < least:
		return OfDisk(number)
	case n%kibi != 0:
		return fewBytes(number, number+"Mi")
	}
	return fewBytes(number, strconv.Itoa(n/kibi)+"Gi", number+"Mi")
}

func fewBytes(number string, meant ...string) string {
	return fmt.Sprintf("%q is a number of bytes; %s", number, suggest.OneOf(meant))
}

// quantityProblem returns what is wrong with an amount of bytes, or "" if nothing is.
func quantityProblem(text string, unit Unit) string {
	const fewDigits = 6 // of a number of bytes below 1Mi, which was probably meant as another unit
	switch {
	case !isQuantity(text):
		return InvalidQuantity(text) + "; " + NearQuantity(text)
	case len(text) <= fewDigits && strings.Trim(text, "0123456789") == "":
		return unit(text)
	}
	return ""
}

func ipProblem(text string) string {
	if _, err := netip.ParseAddr(text); err != nil {
		return fmt.Sprintf("invalid address %q; expected an address such as \"10.0.0.1\"", text)
	}
	return ""
}

func subnetProblem(text string) string {
	subnet, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return fmt.Sprintf("invalid subnet %q; expected a subnet such as \"10.0.0.0/24\"", text)
	case subnet != subnet.Masked():
		return fmt.Sprintf("%q is an address in a subnet; did you mean %q?", text, subnet.Masked())
	}
	return ""
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
