// Package lazyregexp compiles regular expressions when they are first needed.
// Most of them are only needed for messages, and a valid fleet has none, so the
// process that Argo CD starts for every sync does not compile them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. Like
// [regexp.MustCompile], that function panics if the expression is invalid.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
