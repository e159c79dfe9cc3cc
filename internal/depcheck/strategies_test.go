package depcheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// strategyTables are the variables outside pkg/values that may name strategies: they choose a renderer and describe
// what a user sees, for each strategy.
var strategyTables = []string{
	"pkg/lifecycle/annotations.go vmParts",
	"pkg/lifecycle/policies.go policies",
}

// TestOnlyTablesNameStrategies checks that all other code reads the traits of a strategy. Code that compares names
// treats a new strategy as one that is not meant.
func TestOnlyTablesNameStrategies(t *testing.T) {
	strategies := strategiesOf(t, "pkg/values/strategy.go")
	require.Contains(t, strategies, "InPlace")
	require.Equal(t, "blue-green", strategies["BlueGreen"])

	used := map[string]bool{}
	for _, dir := range []string{"pkg", "cmd", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				filepath.Dir(name) == "pkg/values" {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, found := range namesOfStrategies(f, strategies) {
				if place := name + " " + found.in; slices.Contains(strategyTables, place) {
					used[place] = true
				} else {
					t.Errorf("%s names %s; use a trait of the strategy", place, found.text)
				}
			}
			return nil
		}))
	}
	require.Len(t, used, len(strategyTables), "a table is gone, or names no strategy")
}

func TestNamesOfStrategiesAreFound(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "f.go", `package f
var table = map[values.Strategy]int{values.Pool: 1, values.Denied: 2}
func (lc *Lifecycle) f() bool { return lc.Strategy != values.InPlace }
func g() bool {
	switch s { case "pool", "else": return s == "blue-green" }
	return slices.Contains(args, "rollout")
}`, parser.SkipObjectResolution)
	require.NoError(t, err)
	strategies := map[string]string{"InPlace": "", "BlueGreen": "blue-green", "Pool": "pool", "Rollout": "rollout"}
	require.Equal(t, []strategyName{
		{"table", "values.Pool"}, {"f", "values.InPlace"}, {"g", `"pool"`}, {"g", `"blue-green"`},
	}, namesOfStrategies(f, strategies))
}

// strategiesOf returns the constants of type Strategy in a file, and their values.
func strategiesOf(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	found := map[string]string{}
	for node := range ast.Preorder(f) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "Strategy" {
			continue
		}
		found[spec.Names[0].Name] = literal(spec.Values[0])
	}
	return found
}

// strategyName is a strategy that is named in a declaration: a constant, or a string that something is compared with.
type strategyName struct{ in, text string }

func namesOfStrategies(f *ast.File, strategies map[string]string) []strategyName {
	var found []strategyName
	for _, decl := range f.Decls {
		for node := range ast.Preorder(decl) {
			for _, text := range strategiesIn(node, strategies) {
				found = append(found, strategyName{declared(decl), text})
			}
		}
	}
	return found
}

// strategiesIn returns the strategies that a node names itself, without those of the nodes below it.
func strategiesIn(node ast.Node, strategies map[string]string) []string {
	var compared []ast.Expr
	switch n := node.(type) {
	case *ast.SelectorExpr:
		if _, ok := strategies[n.Sel.Name]; ok && fmt.Sprint(n.X) == "values" {
			return []string{"values." + n.Sel.Name}
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			compared = []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		compared = n.List
	}
	var found []string
	for _, expr := range compared {
		if text := literal(expr); text != "" && slices.Contains(slices.Collect(maps.Values(strategies)), text) {
			found = append(found, strconv.Quote(text))
		}
	}
	return found
}

// declared returns the name of a function, or the first one of a declaration of variables.
func declared(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if spec, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return spec.Names[0].Name
		}
	}
	return ""
}

// literal returns the text of a string literal, or "" for other expressions.
func literal(expr ast.Expr) string {
	if lit, ok := expr.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return text
	}
	return ""
}
