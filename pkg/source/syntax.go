package source

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/rule"
)

// searchSize limits the search for the exact position of an error, which parses the
// text up to the error about twenty times. Further down, the line has to suffice.
const searchSize = 1 << 20 // bytes

// reportSyntax reports an error of the YAML library and returns the offset in text at
// which it occurred. The library reports at most a line, and for some errors the
// previous one, so the position is found by parsing again.
func reportSyntax(file *File, text string, before int, err error, diags *Diagnostics) int {
	line, problem := splitError(err)
	at := startOfLine(text, line)
	if line > 0 && at+len(lineAt(text, at)) < searchSize || len(text) < searchSize {
		at = offsetOfError(text, problem)
	}
	where, message := explain(problem, text, at)
	pos := position(file, text, where)
	pos.Line += before
	diags.Errorf(pos, rule.YAMLSyntax, "", "%s", message)
	return at
}

var errorForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
})

// splitError returns the line (0 for none) and the message of an error of the YAML library.
func splitError(err error) (line int, problem string) {
	m := errorForm().FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(m[1])
	return line, err.Error()[len(m[0]):]
}

// offsetOfError returns the offset of the last character of the shortest prefix of text
// that has the problem: the parser reads forward, so the rest does not matter.
func offsetOfError(text, problem string) int {
	n := sort.Search(len(text), func(n int) bool {
		_, err := decodeAll(text[:n])
		if err == nil {
			return false
		}
		_, p := splitError(err)
		return p == problem
	})
	at := max(0, min(n, len(text))-1)
	for at > 0 && text[at]&0xc0 == 0x80 { // to the start of the character
		at--
	}
	return at
}

// startOfLine returns the offset of the first character in a line, counted from 1.
func startOfLine(text string, line int) int {
	offset := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			break
		}
		offset += i + 1
	}
	return offset + len(leading(text[offset:], " "))
}

// opened returns the offset of the first of the given characters in the line in which
// the construct that the parser was reading began. The library omits the line if it is
// the first, so an empty line is added before the text. It counts lines from 0 in
// errors of its parser, and from 1 in those of its scanner.
func opened(text, problem, chars string) int {
	line, p := splitError(cmp.Or(decodeError("\n"+text), io.EOF))
	if p == problem && !strings.HasPrefix(problem, "did not find expected") {
		line--
	}
	start := startOfLine(text, line)
	end := start + len(lineAt(text, start))
	return start + max(0, strings.IndexAny(text[start:end], chars))
}

func decodeError(text string) error {
	_, err := decodeAll(text)
	return err
}

// lineAt returns the rest of the line from an offset.
func lineAt(text string, offset int) string {
	line, _, _ := strings.Cut(text[offset:], "\n")
	return line
}

// explanations are the messages for problems of the YAML library.
var explanations = map[string]string{
	"mapping values are not allowed in this context": `a ":" is not accepted here; ` +
		`quote a value that holds ": ", or correct the indentation`,
	"block sequence entries are not allowed in this context": `a list entry is not accepted here; ` +
		`start it on a line of its own`,
	"did not find expected key": `this does not belong to the map before it; ` +
		`check the indentation, or quote the value`,
	"did not find expected '-' indicator": `this does not belong to the list before it; ` +
		`start an entry with "- ", or check the indentation`,
	"did not find expected ',' or ']'": `a list that starts with "[" is not closed; ` +
		`expected "," or "]"`,
	"did not find expected ',' or '}'": `a map that starts with "{" is not closed; ` +
		`expected "," or "}"`,
	"did not find expected node content": `a value is missing here`,
	"could not find expected ':'": `this is neither a key nor a value; ` +
		`write a key with ":" after it, or check the indentation`,
	"found unexpected end of stream":      `a quote is opened and never closed`,
	"found unexpected document indicator": `a quote is opened and not closed before the next document`,
	"found unknown escape character": `unknown escape in double quotes; ` +
		`accepted: \n, \t, \", \\, \xNN, \uNNNN; or use single quotes`,
	"did not find expected <document start>": `this belongs to no document; ` +
		`check the indentation, or separate documents with "---"`,
}

// explain returns the offset to report for a problem that occurred at another offset,
// and the message for the user.
func explain(problem, text string, at int) (int, string) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line := lineAt(text, start)
	if strings.Contains(leading(line, " \t"), "\t") {
		return start, "a tab is used for indentation; use spaces"
	}
	if m := templateStart().FindStringIndex(line); m != nil {
		return start + m[1] - len("{{"), needsQuotes
	}
	switch {
	case problem == "found character that cannot start any token" && at < len(text):
		return at, "a value cannot start with " + strconv.Quote(text[at:at+1]) + "; quote it"
	case strings.HasPrefix(problem, "unknown anchor '"):
		name, _, _ := strings.Cut(problem[len("unknown anchor '"):], "'")
		return max(start, strings.LastIndexByte(text[:at+1], '*')), fmt.Sprintf("unknown anchor %q; "+
			`an alias must follow its anchor in the same document, and a value that starts with "*" must be quoted`, name)
	case problem == "mapping values are not allowed in this context" && keyless(text, start) >= 0:
		at, problem = keyless(text, start), "could not find expected ':'"
	case problem == "could not find expected ':'":
		at = opened(text, problem, "")
	case strings.HasPrefix(problem, "found unexpected"):
		at = opened(text, problem, `"'`)
	case problem == "did not find expected ',' or ']'":
		at = opened(text, problem, "[")
	case problem == "did not find expected ',' or '}'":
		at = opened(text, problem, "{")
	}
	if e, ok := explanations[problem]; ok {
		return at, e
	}
	return at, "this is not valid YAML: " + problem
}

// keyless returns the offset of the text in the line before the one at start, or -1.
// That text must have the same indentation and no colon, so that the parser took it for
// the start of a longer value.
func keyless(text string, start int) int {
	line := lineAt(text, start)
	before := strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1
	word := strings.TrimSpace(lineAt(text, before))
	indent := leading(lineAt(text, before), " ")
	if start == 0 || word == "" || len(indent) != len(leading(line, " ")) ||
		strings.ContainsAny(word, ":#") || strings.HasPrefix(word, "- ") {
		return -1
	}
	return before + len(indent)
}

const needsQuotes = `a value that starts with "{{" must be quoted`

var templateStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[:-] +|[\[,] *)\{\{`)
})
