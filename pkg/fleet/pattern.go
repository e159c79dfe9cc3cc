package fleet

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed.
// Messages need most of them, and a fleet that is right has none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
