package source

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// acceptable rewrites what is valid, but unknown to the YAML library. Nothing else
// changes its line or column.
func acceptable(text string) string {
	return joinSurrogates(acceptVersion(text))
}

// acceptVersion replaces the version in directives "%YAML 1.2" by the one that the
// library accepts. Scalars are resolved here, as in YAML 1.2 in either case.
func acceptVersion(text string) string {
	const accepted, current = "%YAML 1.1", "%YAML 1.2"
	if !strings.Contains(text, current) {
		return text
	}
	var b strings.Builder
	between := true // documents
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		switch {
		case between && (content == current || strings.HasPrefix(content, current+" ")) && line[0] == '%':
			line = accepted + line[len(accepted):]
		case isMarker(line, 0):
			between = line[0] == '.'
		case content != "" && content[0] != '#' && line[0] != '%':
			between = false
		}
		b.WriteString(line)
	}
	return b.String()
}

var (
	jsonString = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	})
	// An escape of another character is matched as well, so that the second half of an
	// escaped backslash is not taken for the start of an escape.
	surrogates = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\.`)
	})
)

// joinSurrogates replaces the pairs of escapes with which JSON writes characters such as
// emoji by one escape, which YAML has for them. It adds spaces after the string, so that
// what follows in the line keeps its column.
func joinSurrogates(text string) string {
	if !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) || !json.Valid([]byte(text)) {
		return text
	}
	return jsonString().ReplaceAllStringFunc(text, func(s string) string {
		joined := surrogates().ReplaceAllStringFunc(s, joinPair)
		return joined + strings.Repeat(" ", len(s)-len(joined))
	})
}

// joinPair returns the escape of the character that a pair of escapes stands for, and
// anything else unchanged.
func joinPair(pair string) string {
	const digits = len(`\u`)
	if len(pair) < 2*(digits+4) {
		return pair
	}
	high, _ := strconv.ParseUint(pair[digits:digits+4], 16, 16)
	low, _ := strconv.ParseUint(pair[digits+4+digits:], 16, 16)
	return fmt.Sprintf(`\U%08x`, utf16.DecodeRune(rune(high), rune(low)))
}
