package source

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/rule"
)

// reportSyntax reports a syntax error in a text that starts after some lines of the file.
func reportSyntax(file *File, text string, before int, f *failure, diags *Diagnostics) {
	where, message := explain(f, text)
	at := position(file, text, where)
	at.Line += before
	diags.Errorf(at, rule.YAMLSyntax, "", "%s", message)
}

var errorForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^yaml: (?:line \d+: )?`)
})

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
	"found invalid Unicode character escape code": `this escape is not a character; ` +
		`accepted: \uNNNN, \UNNNNNNNN, and in JSON the pairs of \uNNNN that it has for emoji`,
	"did not find expected <document start>": `this belongs to no document; ` +
		`check the indentation, or separate documents with "---"`,
}

// explain returns the offset to report for a failure, and the message for the user.
func explain(f *failure, text string) (int, string) {
	at, problem := written(text, f.at), f.problem
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line := lineAt(text, start)
	if strings.Contains(leading(line, " \t"), "\t") {
		return start, "a tab is used for indentation; use spaces"
	}
	for _, from := range []int{start, strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1} {
		if templateLine().MatchString(lineAt(text, from)) {
			return from + strings.Index(lineAt(text, from), "{{"), notTemplate
		}
	}
	if m := templateStart().FindStringIndex(line); m != nil {
		return start + m[1] - len("{{"), needsQuotes
	}
	switch {
	case problem == "found character that cannot start any token" && at < len(text):
		return at, "a value cannot start with " + strconv.Quote(text[at:at+1]) + "; quote it"
	case strings.HasPrefix(problem, unknownAnchor):
		name, _, _ := strings.Cut(problem[len(unknownAnchor):], "'")
		return at, fmt.Sprintf("unknown anchor %q; "+
			`an alias must follow its anchor in the same document, and a value that starts with "*" must be quoted`, name)
	case problem == "mapping values are not allowed in this context" && keyless(text, start) >= 0:
		at, problem = keyless(text, start), "could not find expected ':'"
	case problem == "could not find expected ':'", strings.HasPrefix(problem, "found unexpected"),
		strings.HasPrefix(problem, "did not find expected ','"):
		at = f.opened
	}
	if e, ok := explanations[problem]; ok {
		return at, e
	}
	return at, "this is not valid YAML: " + problem
}

// written returns at, or, if the text or a document ends there, the offset of the last
// character of its content: what is missing is missing there.
func written(text string, at int) int {
	if at < len(text) && !isMarker(text, at) {
		return at
	}
	for rest := text[:at]; rest != ""; {
		rest = strings.TrimRight(rest, " \t\n")
		start := strings.LastIndexByte(rest, '\n') + 1
		if !strings.HasPrefix(strings.TrimLeft(rest[start:], " \t"), "#") {
			_, size := utf8.DecodeLastRuneInString(rest)
			return len(rest) - size
		}
		rest = rest[:start]
	}
	return at
}

// isMarker reports whether a line that starts or ends a document is at an offset.
func isMarker(text string, at int) bool {
	if at > 0 && text[at-1] != '\n' {
		return false
	}
	line := lineAt(text, at)
	rest, ok := strings.CutPrefix(line, "---")
	if !ok {
		rest, ok = strings.CutPrefix(line, "...")
	}
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// keyless returns the offset of the text in the line before the one at start, or -1.
// That text must have the same indentation and no colon, so that the parser took it for
// the start of a longer value.
func keyless(text string, start int) int {
	line := lineAt(text, start)
	before := strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1
	word := strings.TrimSpace(lineAt(text, before))
	indent := leading(lineAt(text, before), " ")
	if start == 0 || word == "" || isMarker(text, before) || len(indent) != len(leading(line, " ")) ||
		strings.ContainsAny(word, ":#") || strings.HasPrefix(word, "- ") {
		return -1
	}
	return before + len(indent)
}

const needsQuotes = `a value that starts with "{{" must be quoted`

var templateStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[:-] +|[\[,] *)\{\{`)
})

const notTemplate = "only values can be templates, in quotes, and not the text of a file; " +
	"for several VMs, use `replicas`"

// templateLine matches a line with an action of a template that generates text.
var templateLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ *\{\{-? *(range|if|else|end|with|define|include|template|block)\b`)
})
