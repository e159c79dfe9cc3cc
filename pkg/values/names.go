package values

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// MaxName is the maximum length of names, which are also label values.
const MaxName = validation.DNS1123LabelMaxLength

// NameProblem returns what is wrong with a DNS label (RFC 1123), or "" if it
// is valid.
func NameProblem(name string) string {
	if plainName(name) {
		return ""
	}
	if len(name) > MaxName {
		return fmt.Sprintf("%q has %d characters; at most %d are accepted", name, len(name), MaxName)
	}
	return fmt.Sprintf("invalid name %q; expected lower case letters, digits and \"-\", "+
		"starting and ending with a letter or digit", name)
}

func plainName(name string) bool {
	if name == "" || len(name) > MaxName || !endByte(name[0]) || !endByte(name[len(name)-1]) {
		return false
	}
	for i := range len(name) {
		if !nameByte[name[i]] {
			return false
		}
	}
	return true
}

// endByte reports whether a DNS label may start and end with a byte.
func endByte(c byte) bool { return nameByte[c] && c != '-' }

// nameByte contains true for the bytes of DNS labels.
var nameByte = func() (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-") {
		table[c] = true
	}
	return table
}()

// plainKey reports whether a label key has the usual form, such as "app.kubernetes.io/part-of".
func plainKey(key string) bool {
	domain, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return plainLabel(key)
	}
	return plainDomain(domain) && plainLabel(name)
}

func plainDomain(s string) bool {
	start := 0
	for i := range len(s) {
		if s[i] != '.' {
			continue
		}
		if !plainName(s[start:i]) {
			return false
		}
		start = i + 1
	}
	return plainName(s[start:])
}

// plainLabel reports whether the name or value of a label consists of lower case
// letters, digits, "-" and ".".
func plainLabel(s string) bool {
	if s == "" || len(s) > MaxName || !endByte(s[0]) || !endByte(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !nameByte[c] && c != '.' {
			return false
		}
	}
	return true
}

// LabelProblem returns what is wrong with a label, or "" if it is valid.
func LabelProblem(key, value string) string {
	if plainKey(key) && (value == "" || plainLabel(value)) {
		return ""
	}
	if !IsLabelKey(key) {
		return keyProblem("label", key)
	}
	if len(validation.IsValidLabelValue(value)) > 0 {
		return fmt.Sprintf("invalid label value %q; expected %s", value, labelForm)
	}
	return ""
}

const labelForm = "at most 63 letters, digits, \"-\", \"_\" and \".\", starting and ending with a letter or digit"

// AnnotationProblem returns what is wrong with the key of an annotation, or "".
func AnnotationProblem(key string) string {
	if IsLabelKey(key) {
		return ""
	}
	return keyProblem("annotation", key)
}

func keyProblem(of, key string) string {
	return fmt.Sprintf("invalid %s key %q; expected %s, after a domain and a slash or alone", of, key, labelForm)
}

// IsLabelKey reports whether a key is valid for labels and annotations.
func IsLabelKey(key string) bool { return plainKey(key) || len(validation.IsQualifiedName(key)) == 0 }

var uuidForm = lazyregexp.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsUUID reports whether a string has the form of a UUID.
func IsUUID(s string) bool { return uuidForm().MatchString(s) }
