package render

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

// checkFields reports the fields that the user writes in a tree in KubeVirt's own form, under the key, and that the
// target's KubeVirt does not have. prefix is the path of the tree in a VirtualMachine; what is rendered there has the
// position of the VM.
func (x *rendering) checkFields(tree *source.Node, prefix, key string) {
	if !tree.IsSet() {
		return
	}
	for _, f := range versions.Features() {
		rest, ok := strings.CutPrefix(f.Field, prefix)
		if f.Kind != "VirtualMachine" || !ok {
			continue
		}
		problem, isError := x.Target.Lacks(&f)
		if problem == "" {
			continue
		}
		for _, n := range fieldsAt(tree, strings.Split(rest, ".")) {
			switch {
			case n.Pos() == x.Pos || !n.IsSet():
			case isError:
				x.diags.Errorf(n.Pos(), rule.KubeVirtVersion, x.path(key), "%s", problem)
			default:
				x.diags.Warnf(n.Pos(), rule.KubeVirtVersion, x.path(key), "%s", problem)
			}
		}
	}
}

// fieldsAt returns the values at a path, in which "[]" after a key stands for each item of a list.
func fieldsAt(n *source.Node, path []string) []*source.Node {
	if len(path) == 0 {
		return []*source.Node{n}
	}
	key, list := strings.CutSuffix(path[0], "[]")
	n = n.Get(key)
	if n == nil {
		return nil
	}
	if !list {
		return fieldsAt(n, path[1:])
	}
	var all []*source.Node
	for _, item := range n.Items {
		all = append(all, fieldsAt(item, path[1:])...)
	}
	return all
}
