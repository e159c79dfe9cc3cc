package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Masterminds/sprig/v3"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
)

// KeepLiteral is the end of a message about an unknown name. The text may be meant for
// another program, such as the Jinja of cloud-init or docker's --format.
const KeepLiteral = "to keep a literal {{ write {{ \"{{\" }}"

// Problem is an error in a template.
type Problem struct {
	// Line and Col count from 1, within the string. Both are 0 if the problem concerns the whole string.
	Line, Col int
	// Message is one line.
	Message string
	// Missing is the name that the data does not have, in the expression Expr such as ".vars.team". Both are
	// empty for any other problem.
	Missing, Expr string
}

// The messages of text/template that are reworded here (text/template/parse
// and exec.go, Go 1.26).
var (
	templateError   = lazyregexp.New(`^template: [^:]*:(\d+)(?::(\d+))?: (?:executing "[^"]*" at <([^>]*)>: )?(?s:(.*))$`)
	calling         = lazyregexp.New(`^error calling \w+: `)
	missingEntry    = lazyregexp.New(`map has no entry for key "([^"]*)"`)
	unknownFunction = lazyregexp.New(`^function "([^"]*)" not defined$`)
	quotedToken     = lazyregexp.New(`"([^" ]+)"`)
)

// problem returns the position and message of an error in a template.
func problem(text string, err error) *Problem {
	p := &Problem{Message: err.Error()}
	if m := templateError().FindStringSubmatch(p.Message); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Col, _ = strconv.Atoi(m[2])
		if m[2] == "" {
			p.Col = columnOf(text, p.Line, m[4])
		}
		p.Col++
		p.word(m[3], m[4])
	}
	if errors.Is(err, errTooMuch) || errors.Is(err, errGroup) || errors.Is(err, errTotal) || errors.Is(err, errTooLong) {
		p.Line, p.Col = 0, 0
	}
	p.Message = brief(calling().ReplaceAllString(p.Message, ""))
	return p
}

// word sets the message of a problem in an expression, which is empty if it is
// unknown.
func (p *Problem) word(expr, message string) {
	p.Message = message
	if m := missingEntry().FindStringSubmatch(message); m != nil {
		p.Missing, p.Expr = m[1], expr
	} else if m := unknownFunction().FindStringSubmatch(message); m != nil {
		p.Message = functionProblem(m[1])
	} else if message == "unexpected EOF" {
		p.Message = "`{{ end }}` is missing"
	}
}

// brief returns a message as one short line. Functions can put any text into
// it.
func brief(message string) string {
	const enough = 300
	if len(message) > enough {
		message = strings.ToValidUTF8(message[:enough], "") + " …"
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(message), " "), "\ufffd")
}

// functionProblem returns the message for a function that cannot be called,
// with the nearest known name.
func functionProblem(name string) string {
	if _, known := sprig.TxtFuncMap()[name]; known {
		return fmt.Sprintf("the function %q is not accepted; "+
			"the same input must always give the same text, at bounded cost", name)
	}
	if near, ok := suggest.Nearest(name, FunctionNames()); ok {
		return fmt.Sprintf("unknown function %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown function %q; accepted: Go's own and the hermetic ones of sprig; "+KeepLiteral, name)
}

// columnOf returns the column, counted from 0, of the token that a parser
// error quotes, because the error itself contains only the line. It returns 0
// if the error quotes no token of the line.
func columnOf(text string, line int, message string) int {
	m := quotedToken().FindStringSubmatch(message)
	lines := strings.Split(text, "\n")
	if m == nil || line < 1 || line > len(lines) {
		return 0
	}
	at := strings.Index(lines[line-1], m[1])
	return utf8.RuneCountInString(lines[line-1][:max(at, 0)])
}
