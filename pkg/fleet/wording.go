package fleet

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/Masterminds/sprig/v3"

	"github.com/vmrender/vmrender/pkg/source"
)

// What text/template says (text/template/parse and exec.go, Go 1.26) that is
// said here in other words.
var (
	missingEntry    = pattern(`map has no entry for key "([^"]*)"`)
	unknownFunction = pattern(`^function "([^"]*)" not defined$`)
	quotedToken     = pattern(`"([^" ]+)"`)
)

// wording says what is wrong with a template to who wrote it; at is the
// expression in which it showed, if that is known.
func (x *expander) wording(at, problem string) string {
	if m := missingEntry().FindStringSubmatch(problem); m != nil {
		return x.missing(at, m[1])
	}
	if m := unknownFunction().FindStringSubmatch(problem); m != nil {
		return functionProblem(m[1])
	}
	if problem == "unexpected EOF" {
		return "`{{ end }}` is missing"
	}
	return problem
}

// missing words the error for a name that templates do not see.
func (x *expander) missing(at, name string) string {
	if name == "ordinal" && x.strategy() == Pool {
		return "under `strategy: pool` all VMs are the same, and have no ordinal; use another strategy"
	}
	if !strings.HasPrefix(at, ".vars.") {
		return fmt.Sprintf("unknown name %q in %q; templates see .vars, .vm (name, namespace, os, ordinal of replicas) and .fleet (name)", name, at)
	}
	known := x.varsBeside(at, name)
	if len(known) == 0 {
		return fmt.Sprintf("missing variable %q; set it under `vars` or with --set", name)
	}
	return fmt.Sprintf("missing variable %q; %s", name, source.DidYouMean(name, known))
}

// varsBeside are the variables of the map in which an expression such as
// .vars.dns.servers looks for one.
func (x *expander) varsBeside(at, name string) []string {
	vars, _ := x.values()["vars"].(map[string]any)
	for _, key := range strings.Split(at, ".")[2:] {
		if key == name {
			break
		}
		vars, _ = vars[key].(map[string]any)
	}
	known := make([]string, 0, len(vars))
	for k := range vars {
		known = append(known, k)
	}
	slices.Sort(known)
	return known
}

// functionProblem says why a function cannot be called, and which one was
// probably meant.
func functionProblem(name string) string {
	funcs := hermetic()
	if _, known := sprig.TxtFuncMap()[name]; known {
		return fmt.Sprintf("the function %q is not accepted; the same input must always give the same text, at bounded cost", name)
	}
	known := make([]string, 0, len(funcs))
	for k := range funcs {
		if k != stepFunc {
			known = append(known, k)
		}
	}
	if near, ok := source.Nearest(name, known); ok {
		return fmt.Sprintf("unknown function %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown function %q; accepted: Go's own and the hermetic ones of sprig", name)
}

// columnOf is the column, counted from 0, of what an error of the parser quotes,
// which tells no more than the line; 0 where it quotes nothing of the line.
func columnOf(text string, line int, problem string) int {
	m := quotedToken().FindStringSubmatch(problem)
	lines := strings.Split(text, "\n")
	if m == nil || line < 1 || line > len(lines) {
		return 0
	}
	at := strings.Index(lines[line-1], m[1])
	return utf8.RuneCountInString(lines[line-1][:max(at, 0)])
}
