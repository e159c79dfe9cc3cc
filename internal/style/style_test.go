package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.." // the module's root, seen from this package

// word is a wording to avoid, and its replacement.
type word struct {
	not     *regexp.Regexp
	instead string
}

// inComments is the words to avoid in comments. A declaration's comment starts with
// its name.
var inComments = []word{
	{regexp.MustCompile(`\btells? (whether|if)\b`), "reports whether"},
	{regexp.MustCompile(`^\w+ gives\b`), "returns"},
	{regexp.MustCompile(`^\w+ wants\b`), "checks that"},
	{regexp.MustCompile(`\bwhere there (is|are) (none|no|neither|nothing)\b`), "if there is none"},
	{regexp.MustCompile(`\bwhere unset\b`), "Defaults to"},
	{regexp.MustCompile(`\bbeneath\b`), "below, under, in"},
	{regexp.MustCompile(`\bbeside\b`), "next to, in addition to"},
	{regexp.MustCompile(`\banew\b`), "recreate, again"},
	{regexp.MustCompile(`\bfor ever\b`), "indefinitely"},
	{regexp.MustCompile(`\bcatalogue\b`), "catalog"},
	{regexp.MustCompile(`\b(whoever|somebody|anybody|nobody)\b`), "the user, another team"},
	{regexp.MustCompile(`\bby hand\b`), "manually"},
	{regexp.MustCompile(`\bat once\b`), "immediately, at the same time"},
	{regexp.MustCompile(`\bneed not\b`), "does not have to"},
	{regexp.MustCompile(`\bgoes on\b`), "continues, resumes"},
	{regexp.MustCompile(`\b(made|makes|make) again\b`), "recreate"},
}

// inStrings is the words to avoid in messages.
var inStrings = []word{
	{regexp.MustCompile(`[;,] want\b`), "; expected, or an imperative"},
	{regexp.MustCompile(`\bor want\b`), "or use, or set"},
	{regexp.MustCompile(`(^|[ :"])bad [a-zA-Z %]+["%]`), "invalid"},
	{regexp.MustCompile(`\baccepted are\b`), "accepted:"},
}

func TestComments(t *testing.T) {
	each(t, func(t *testing.T, f *ast.File, position func(ast.Node) string) {
		for _, group := range f.Comments {
			for line := range strings.SplitSeq(group.Text(), "\n") {
				report(t, inComments, line, position(group))
			}
		}
	})
}

func TestMessages(t *testing.T) {
	each(t, func(t *testing.T, f *ast.File, position func(ast.Node) string) {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			report(t, inStrings, text, position(lit))
			return true
		})
	})
}

// TestRegexps checks that no program compiles a regular expression before it needs one: the sidecar starts for every
// sync.
// See package lazyregexp.
func TestRegexps(t *testing.T) {
	each(t, func(t *testing.T, f *ast.File, position func(ast.Node) string) {
		for _, decl := range f.Decls {
			if _, variables := decl.(*ast.GenDecl); variables {
				for _, call := range compiled(decl) {
					t.Errorf("%s: a regular expression that is compiled at the start; use lazyregexp.New", position(call))
				}
			}
		}
	})
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar a, b = f(), regexp.MustCompile(``)", 0)
	require.NoError(t, err)
	require.Len(t, compiled(f), 1)
}

// compiled returns the expressions in a syntax tree that compile a regular expression outside of functions.
func compiled(tree ast.Node) []ast.Node {
	var found []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
			found = append(found, sel)
		}
		_, function := n.(*ast.FuncLit)
		return !function
	})
	return found
}

// TestWordsAreFound checks that the patterns match the words to avoid, and no others.
func TestWordsAreFound(t *testing.T) {
	require.Len(t, problems(inComments, "within tells whether a path is beneath another."), 2)
	require.Len(t, problems(inComments, "find gives the machines, or nil where there is none"), 2)
	require.Len(t, problems(inStrings, `bad name %q; want a name`), 2)
	require.Len(t, problems(inComments, "An object that is changed by hand need not be made again at once."), 4)
	require.Empty(t, problems(inComments, "within reports whether a path is below another; what it gives up is lost."))
	require.Empty(t, problems(inStrings, `invalid name %q; expected a name; accepted: a`))
}

func report(t *testing.T, words []word, text, at string) {
	t.Helper()
	for _, p := range problems(words, text) {
		t.Errorf("%s: %s", at, p)
	}
}

func problems(words []word, text string) []string {
	var found []string
	for _, w := range words {
		if s := w.not.FindString(text); s != "" {
			found = append(found, fmt.Sprintf("%q; write %q", strings.TrimSpace(s), w.instead))
		}
	}
	return found
}

// each calls check for every Go file of the directories that users use, except tests, in a subtest.
func each(t *testing.T, check func(t *testing.T, f *ast.File, position func(ast.Node) string)) {
	t.Helper()
	for _, top := range []string{"pkg", "cmd", "internal", "apps", "charts", "plugin", "schema"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			t.Run(strings.TrimPrefix(path, root+"/"), func(t *testing.T) {
				files := token.NewFileSet()
				f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
				require.NoError(t, err)
				check(t, f, func(n ast.Node) string { return files.Position(n.Pos()).String() })
			})
			return nil
		}))
	}
}
