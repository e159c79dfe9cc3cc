package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// plain is the words to avoid in messages, templates and Markdown.
var plain = []word{
	{regexp.MustCompile(`(?i)\bbeneath\b`), "below, under, in"},
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to, in addition to"},
	{regexp.MustCompile(`(?i)\banew\b`), "recreate, again"},
	{regexp.MustCompile(`(?i)\bfor ever\b`), "indefinitely"},
	{regexp.MustCompile(`(?i)\bat once\b`), "immediately, at the same time"},
	{regexp.MustCompile(`(?i)\bby hand\b`), "manually"},
	{regexp.MustCompile(`(?i)\bbut for\b`), "except"},
	{regexp.MustCompile(`(?i)\b(whoever|somebody|nobody)\b`), "you, the user, another team"},
	{regexp.MustCompile(`(?i)\b(catalogue|behaviour|licence)\b`), "American spelling"},
}

// inStrings is the further words to avoid in messages and templates.
var inStrings = []word{
	{regexp.MustCompile(`(?i)\b(anybody|everybody)\b`), "all users"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|be) no [a-z]`), "is not a"},
	{regexp.MustCompile(`(?i)[a-z] machines?\b|\bmachines? [a-z]`), "VM, node, computer"},
	{regexp.MustCompile(`(?i)[a-z] says\b|\bsays [a-z]`), "sets, specifies, defines, reports"},
	{regexp.MustCompile(`(?i)\basks? for\b`), "requires, requests"},
	{regexp.MustCompile(`(?i)\bstands in\b`), "replaces"},
	{regexp.MustCompile(`(?i)\bwhat is lost\b`), "the lost data"},
	{regexp.MustCompile(`(?i)\bgoes on\b`), "continues, resumes"},
	{regexp.MustCompile(`(?i)\bneed not\b`), "does not have to"},
	{regexp.MustCompile(`[;,] want\b`), "; expected, or an imperative"},
	{regexp.MustCompile(`\bor want\b`), "or use, or set"},
	{regexp.MustCompile(`(^|[ :"])bad [a-zA-Z %]+["%]`), "invalid"},
	{regexp.MustCompile(`\baccepted are\b`), "accepted:"},
	// Word order and idioms of other languages.
	{regexp.MustCompile(`(?i)\btells? (it|by)\b`), "defines, identifies"},
	{regexp.MustCompile(`(?i)\bany ?more\b`), "no longer, any longer"},
	{regexp.MustCompile(`(?i)\btak(e|es|en|ing) (\S+ ){0,4}(away|off|out of)\b`), "remove"},
	{regexp.MustCompile(`(?i)\bmakes? (it|them|another|a new) (\S+ )?(again|VM|one|object)\b`), "creates, recreates"},
	{regexp.MustCompile(`(?i)\b(all|nothing|none|everything|no \w+) but\b`), "except"},
	{regexp.MustCompile(`(?i)[a-z], too\b`), "also"},
	{regexp.MustCompile(`(?i)\bneeds? none\b`), "does not need"},
	{regexp.MustCompile(`(?i)\bwhatever\b`), "regardless of"},
	{regexp.MustCompile(`(?i)\bnot known\b`), "unknown"},
	{regexp.MustCompile(`(?i)\bruns on([,;:)]|$)`), "continues to run"},
	{regexp.MustCompile(`(?i)\b(meant to|may) go\b`), "can be deleted, may continue"},
	{regexp.MustCompile(`(?i)\bsee to\b`), "fix, ensure"},
	{regexp.MustCompile(`(?i)\bof theirs\b`), "their"},
}

// terms is what contains a word of inStrings and is right: terms of KubeVirt and OpenShift, and plain English.
var terms = regexp.MustCompile(`(?i)\bvirtual machines?\b|\bmachine[ -](types?|configs?|network)\b|` +
	`\bMachine API\b|\bmachines (ready|updated)\b|\bmachines?\.\w|\bthere (is|are|was|were) no\b|\bno longer\b`)

// inMessage returns the problems of a message, or of a line of a template.
func inMessage(text string) []string {
	text = terms.ReplaceAllString(text, "")
	return append(problems(inStrings, text), problems(plain, text)...)
}

// TestComments checks the comments of all Go files, also those of tests.
func TestComments(t *testing.T) {
	all := append([]string{"docs", "examples", "test", "tools"}, shipped...)
	walk(t, all, func(string) bool { return true }, func(t *testing.T, f *ast.File, position func(ast.Node) string) {
		for _, group := range f.Comments {
			for line := range strings.SplitSeq(group.Text(), "\n") {
				report(t, problems(inComments, line), position(group))
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
			report(t, inMessage(text), position(lit))
			return true
		})
	})
}

// mostWords is the number of words in a sentence of a message.
const mostWords = 25

// endOfSentence ends a sentence, or a part of one that can be read on its own.
var endOfSentence = regexp.MustCompile(`[.;:]\s|\n`)

// TestSentences checks the length of sentences in the tables of plans, whose lines can have any length: see lll in
// .golangci.yaml.
func TestSentences(t *testing.T) {
	checked := 0
	each(t, func(t *testing.T, f *ast.File, position func(ast.Node) string) {
		if !slices.Contains([]string{"cluster", "gate", "impact", "pairs", "plan", "status", "upgrade"}, f.Name.Name) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			checked++
			if long := longest(text); long > mostWords {
				t.Errorf("%s: a sentence of %d words; write at most %d", position(lit), long, mostWords)
			}
			return true
		})
	})
	require.Greater(t, checked, 1000)
	require.Equal(t, 3, longest("one two three; four five: six\nseven"))
}

// longest returns the number of words of the longest sentence in a text.
func longest(text string) int {
	most := 0
	for _, sentence := range endOfSentence.Split(text, -1) {
		most = max(most, len(strings.Fields(sentence)))
	}
	return most
}

// TestTemplates checks the lines of files that users read, or that messages and pages come from.
func TestTemplates(t *testing.T) {
	checked := 0
	for _, top := range []string{"apps", "charts", "examples", "internal/gen", "pkg", "plugin"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == "testdata" {
				return fs.SkipDir
			}
			isTemplate := slices.Contains([]string{".lua", ".tmpl", ".tpl", ".yaml"}, filepath.Ext(path))
			if err != nil || !e.Type().IsRegular() || !isTemplate && e.Name() != "NOTES.txt" {
				return err
			}
			checked++
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				report(t, inMessage(line), fmt.Sprintf("%s:%d", path, i+1))
			}
			return err
		}))
	}
	require.Greater(t, checked, 200)
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
	require.Len(t, inMessage(`bad name %q; want a name`), 2)
	require.Len(t, inMessage("is no map; ask somebody who says that the machine stands in"), 5)
	require.Len(t, inMessage("the sync takes away what is not there any more; nothing but a name tells it, too"), 5)
	require.Empty(t, inMessage("takes effect later, runs on the node, needs no more than one; all VMs but not the pool"))
	require.Len(t, problems(inComments, "An object that is changed by hand need not be made again at once."), 4)
	require.Empty(t, problems(inComments, "within reports whether a path is below another; what it gives up is lost."))
	require.Empty(t, inMessage(`invalid name %q; expected a name; accepted: a`))
	require.Empty(t, inMessage("there is no machine type of virtual machines that is no longer in machines.shop/db"))
}

func report(t *testing.T, found []string, at string) {
	t.Helper()
	for _, p := range found {
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

// shipped are the directories that users use.
var shipped = []string{"apps", "charts", "cmd", "internal", "pkg", "plugin", "schema"}

// check checks a Go file. position returns where a node of it is.
type check func(t *testing.T, f *ast.File, position func(ast.Node) string)

// each runs a check of every Go file of the directories that users use, except tests, in a subtest.
func each(t *testing.T, run check) {
	t.Helper()
	walk(t, shipped, func(path string) bool { return !strings.HasSuffix(path, "_test.go") }, run)
}

// walk runs a check of every wanted Go file of directories, in a subtest.
func walk(t *testing.T, tops []string, wanted func(path string) bool, run check) {
	t.Helper()
	for _, top := range tops {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || !wanted(path) {
				return err
			}
			t.Run(strings.TrimPrefix(path, root+"/"), func(t *testing.T) {
				files := token.NewFileSet()
				f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
				require.NoError(t, err)
				run(t, f, func(n ast.Node) string { return files.Position(n.Pos()).String() })
			})
			return nil
		}))
	}
}
