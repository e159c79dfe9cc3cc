// Package lazyregexp compiles regular expressions when they are first needed.
// Messages need most of ours, and a correct fleet has none: the process that
// Argo CD starts for every sync does not pay for them.
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
