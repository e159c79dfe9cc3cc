package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/admission"
)

// literalsIn is the packages that may contain identifiers as literals.
var literalsIn = map[string]bool{
	"pkg/rule": true, // which declares them
}

// reported is the severities with which the code reports an identifier.
type reported struct{ errors, warnings bool }

func (r reported) String() string {
	switch {
	case r.errors && r.warnings:
		return "Error or warning"
	case r.warnings:
		return "Warning"
	case r.errors:
		return "Error"
	}
	return "reported nowhere"
}

// Identifiers are always constants of package rule. Each constant is reported somewhere, and
// the examples show it with the severities that the code reports.
func TestRulesAreUsed(t *testing.T) {
	t.Chdir("../..")
	uses := map[string]reported{}
	imports := exportData(t)
	for _, top := range []string{"pkg", "cmd"} {
		require.NoError(t, filepath.WalkDir(top, func(dir string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			for _, at := range ruleUses(t, dir, imports, uses) {
				require.True(t, literalsIn[dir], "%s: a literal for an identifier; use a constant of package rule", at)
			}
			return nil
		}))
	}
	for _, r := range admission.Rules() {
		is := uses[string(r.Kind)]
		is.errors, is.warnings = true, is.warnings || r.Gate != "" || r.Setting != ""
		uses[string(r.Kind)] = is
	}
	groups, err := readRules()
	require.NoError(t, err)
	_, err = diagnosticsReference(groups)
	require.NoError(t, err)
	for _, g := range groups {
		for _, r := range g.Rules {
			require.Equal(t, uses[r.ID].String(), r.Severity(), "%s: the code and its examples differ", r.ID)
		}
	}
}

// exportData returns an importer that reads the export data of all packages, as written by
// the go command.
func exportData(t *testing.T) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export", "./pkg/...", "./cmd/..."}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	files := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			require.NoError(t, err)
		}
		files[p.ImportPath] = p.Export
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
	return importer.ForCompiler(token.NewFileSet(), "gc", open)
}

// ruleUses adds the identifiers that the package in a directory reports and returns the
// positions of those that are literals.
func ruleUses(t *testing.T, dir string, imports types.Importer, uses map[string]reported) (literals []token.Position) {
	t.Helper()
	p, err := build.ImportDir(dir, 0)
	if noGo := new(build.NoGoError); errors.As(err, &noGo) {
		return nil
	}
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: imports}
	_, err = conf.Check(module+"/"+dir, fset, files, info)
	require.NoError(t, err)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && isRule(info.Types[lit]) {
				literals = append(literals, fset.Position(lit.Pos()))
			}
			if call, ok := n.(*ast.CallExpr); ok {
				addReported(call, info, uses)
			}
			return true
		})
	}
	return literals
}

// addReported adds the identifiers in the arguments of a call, unless the call only searches
// for them.
func addReported(call *ast.CallExpr, info *types.Info, uses map[string]reported) {
	name := ""
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		name = s.Sel.Name
	}
	if name == "HasRule" || name == "HasErrorsBut" {
		return
	}
	for _, arg := range call.Args {
		if tv := info.Types[arg]; isRule(tv) && tv.Value != nil {
			id := constant.StringVal(tv.Value)
			r := uses[id]
			r.errors, r.warnings = r.errors || name != "Warnf", r.warnings || name == "Warnf"
			uses[id] = r
		}
	}
}

func isRule(tv types.TypeAndValue) bool {
	return tv.Type != nil && tv.Type.String() == module+"/"+rulesDir+".ID"
}
