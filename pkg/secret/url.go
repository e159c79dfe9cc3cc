// Package secret finds credentials in URLs, and hides them in output.
package secret

import (
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Hidden is shown in place of a secret.
const Hidden = "***"

// InURL reports whether a URL contains credentials: a user, a password or a token before the host.
func InURL(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	return ok && credentials(host) > 0
}

// credentials returns the length of the credentials before a host. The @ in front of the digest of an image does not
// end any.
func credentials(host string) int {
	at := strings.LastIndexByte(host, '@')
	if at < 0 || strings.HasPrefix(host[at:], "@sha") {
		return 0
	}
	return at
}

// Masked returns a URL without secrets: the credentials before the host, and the query, which may contain a signature.
// It returns any other text unchanged.
func Masked(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, path, _ := strings.Cut(rest, "/")
	if n := credentials(host); n > 0 {
		host = Hidden + host[n:]
	}
	address := host
	if path != "" {
		address += "/" + path
	}
	if before, _, hasQuery := strings.Cut(address, "?"); hasQuery {
		address = before + "?" + Hidden
	}
	return scheme + "://" + address
}

// MaskedAddress is [Masked] for text that should be a URL: without a scheme, it may still begin with credentials.
func MaskedAddress(text string) string {
	if !strings.Contains(text, "://") && strings.Contains(text, "@") {
		return Hidden
	}
	return Masked(text)
}

// url is a URL in a text: it ends before a space or a quotation mark.
var url = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+`)

// MaskedIn returns a text in which every URL is [Masked].
func MaskedIn(text string) string { return url().ReplaceAllStringFunc(text, Masked) }
