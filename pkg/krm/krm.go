// Package krm is a KRM function, a program that kustomize and kpt run on a ResourceList: it renders the fleets that the
// list names or contains. The form of the list is that of
// https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md.
package krm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// errNoList is the error for an input of another kind.
var errNoList = errors.New("standard input is not a ResourceList; kustomize and kpt write one to their functions")

// Result is what became of a list.
type Result struct {
	// Problems are the errors and warnings in the list's results, sorted by file and position. Problems of an object in
	// the list have no line: the list does not contain the layout of its file.
	Problems *source.Diagnostics
	// Held is the number of rendered VMs that are held.
	Held int
}

// Run reads a ResourceList, renders its fleets with the options, and writes the list to out, with all problems as its
// results. If one of them is an error, the items are those that were read. An input that is not a ResourceList is an
// error, after which nothing is written.
//
// It does what framework.Execute of kyaml does, whose package validates objects with OpenAPI: linking that package adds
// a third to the instructions of every start of vmrender (kyaml v0.21.1, fn/framework).
func Run(in io.Reader, out io.Writer, opts fleet.Options) (Result, error) {
	list := &kio.ByteReadWriter{Reader: in, Writer: out, KeepReaderAnnotations: true}
	items, err := list.Read()
	switch {
	case err != nil:
		return Result{}, withoutContents("reading the ResourceList", err)
	case list.WrappingKind != kio.ResourceListKind:
		return Result{}, errNoList
	}
	if err := checkObjects(list.FunctionConfig, items); err != nil {
		return Result{}, err
	}
	before, err := kio.PreprocessResourcesForInternalAnnotationMigration(items)
	if err != nil {
		return Result{}, withoutContents("reading annotations", err)
	}
	f := function{opts: opts}
	rendered := f.render(list.FunctionConfig, items)
	problems, failed := f.sorted()
	if !failed {
		items = rendered
	}
	if err := kio.ReconcileInternalAnnotations(items, before); err != nil {
		return Result{}, withoutContents("writing annotations", err)
	}
	if list.Results, err = f.results(); err != nil {
		return Result{}, err
	}
	if err := list.Write(items); err != nil {
		return Result{}, withoutContents("writing the ResourceList", err)
	}
	return Result{Problems: problems, Held: f.held}, nil
}

// withoutContents returns an error of kyaml without the contents of nodes, which it quotes, and which may be secrets.
func withoutContents(what string, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text, _, _ = strings.Cut(text, ": node contents")
	return fmt.Errorf("%s: %s", what, text)
}

// checkObjects checks that the configuration, which may be nil, and the items are objects: the library expects no
// others.
func checkObjects(config *yaml.RNode, items []*yaml.RNode) error {
	if config != nil && !isObject(config) {
		return errors.New("functionConfig of the ResourceList is not an object; expected kind and metadata")
	}
	for i, item := range items {
		if !isObject(item) {
			return fmt.Errorf("item %d of the ResourceList is not an object; expected kind and metadata", i+1)
		}
	}
	return nil
}

// isObject reports whether a value is a map, and metadata and its annotations are either maps or not set.
func isObject(n *yaml.RNode) bool {
	for _, key := range []string{"metadata", "annotations", ""} {
		if yaml.IsMissingOrNull(n) && key != "metadata" {
			return true
		}
		if n.YNode() == nil || n.YNode().Kind != yaml.MappingNode {
			return false
		}
		field := n.Field(key)
		if field == nil {
			return true
		}
		n = field.Value
	}
	return true
}

// function is one run.
type function struct {
	opts     fleet.Options
	problems []problem
	held     int
}

// sorted sorts the problems, and returns them, and whether one of them is an error.
func (f *function) sorted() (*source.Diagnostics, bool) {
	slices.SortStableFunc(f.problems, func(a, b problem) int {
		return cmp.Or(a.Compare(b.Pos), cmp.Compare(a.Path, b.Path))
	})
	all := new(source.Diagnostics)
	for _, p := range f.problems {
		all.Add(p.Diagnostic)
	}
	return all, all.HasErrors()
}

// render returns the items after all fleets are rendered.
func (f *function) render(config *yaml.RNode, items []*yaml.RNode) []*yaml.RNode {
	if config != nil && isFleet(config) {
		return with(items, config, f.object(config, items, Spec{}))
	}
	spec, ok := f.readConfig(config)
	switch {
	case !ok:
		return nil
	case spec.Path != "":
		return with(items, config, f.directory(spec))
	}
	return f.amongItems(items, spec)
}

// amongItems returns the items with rendered objects in place of the fleets among them. A fleet that is not to be
// applied remains before its objects, so that it can be rendered again.
func (f *function) amongItems(items []*yaml.RNode, spec Spec) []*yaml.RNode {
	var fleets, out []*yaml.RNode
	files := map[string]bool{}
	for _, item := range items {
		if isFleet(item) {
			fleets = append(fleets, item)
			files[fileOf(item, items)] = true
		}
	}
	if len(fleets) == 0 {
		f.configError(rule.NoFleet, "spec.path",
			"not set, and no object in the list is a Fleet; set the directory of a fleet, or add a Fleet")
	}
	for _, item := range items {
		switch {
		case !isFleet(item):
			if !files[pathOf(item)] {
				out = append(out, item)
			}
			continue
		case isLocal(item):
			out = append(out, item)
		}
		out = append(out, inFile(fileOf(item, items), f.object(item, items, spec))...)
	}
	return out
}
