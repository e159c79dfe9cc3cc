package docblocks

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Ellipsis is a line of a shown output that stands for any lines left out, or the last word
// of a line whose rest is left out.
const Ellipsis = "…"

// Agrees reports whether an output is what a page shows of it. Columns can have other widths,
// and ages, times and commits can differ.
func Agrees(shown, output string) bool {
	return agree(fields(shown), fields(output))
}

// fields returns the lines of a text as words.
func fields(text string) [][]string {
	var out [][]string
	for line := range strings.Lines(text) {
		out = append(out, strings.Fields(line))
	}
	return out
}

func agree(shown, output [][]string) bool {
	if len(shown) == 0 {
		return len(output) == 0
	}
	if slices.Equal(shown[0], []string{Ellipsis}) {
		return agree(shown[1:], output) || len(output) > 0 && agree(shown, output[1:])
	}
	return len(output) > 0 && sameLine(shown[0], output[0]) && agree(shown[1:], output[1:])
}

func sameLine(shown, output []string) bool {
	if last := len(shown) - 1; last > 0 && shown[last] == Ellipsis && len(output) >= last {
		shown, output = shown[:last], output[:last]
	}
	return slices.EqualFunc(shown, output, sameWord)
}

// sameWord reports whether two words are the same, or both are of a kind that changes with
// the time.
func sameWord(a, b string) bool {
	return a == b || slices.ContainsFunc(changing, func(kind func() *regexp.Regexp) bool {
		return kind().MatchString(a) && kind().MatchString(b)
	})
}

var changing = []func() *regexp.Regexp{
	lazyregexp.New(`^(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s)?$`), // kubectl's ages
	lazyregexp.New(`^\(?[0-9a-f]{12}\)?$`),                             // commits
	lazyregexp.New(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$`),
}
