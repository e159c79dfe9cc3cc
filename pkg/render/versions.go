package render

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

// kindVM is the kind of which users write most fields.
const kindVM = "VirtualMachine"

// checkFields reports the fields that the user writes in a tree in the platform's own form, under the key, and that the
// target does not have. prefix is the path of the tree in an object of the kind; what is rendered there has the
// position of the VM.
func (x *rendering) checkFields(tree *source.Node, kind, prefix, key string) {
	if !tree.IsSet() {
		return
	}
	for _, f := range versions.Features() {
		rest, ok := strings.CutPrefix(f.Field, prefix)
		if f.Kind != kind || !ok {
			continue
		}
		problem, report := x.Target.Missing(&f), x.diags.Errorf
		if problem == "" {
			problem, report = x.Target.GateOff(&f), x.diags.Warnf
		}
		if problem == "" || x.Target.Missing(&f) == "" && admission.HasGate(f.Gate) {
			continue
		}
		for _, n := range fieldsAt(tree, strings.Split(rest, ".")) {
			if n.Pos() != x.Pos && n.IsSet() {
				report(n.Pos(), rule.KubeVirtVersion, x.path(key), "%s", problem)
			}
		}
	}
}

// checkDataVolume reports the fields that the user writes of a disk in CDI's own form, and that the target's CDI does
// not have, or for a DataVolume in the VM, its KubeVirt.
func (x *rendering) checkDataVolume(d *machine.Disk) {
	for _, written := range []struct {
		tree        *source.Node
		prefix, key string
	}{
		{d.DataVolume, "", "dataVolume"},
		{d.Source.VDDK, "spec.source.vddk.", "source.vddk"},
		{d.Source.ImageIO, "spec.source.imageio.", "source.imageio"},
	} {
		if !written.tree.IsSet() {
			continue
		}
		key := "disks." + d.Name + "." + written.key
		x.checkFields(written.tree, kindDataVolume.Kind, written.prefix, key)
		if !d.Keep {
			x.checkFields(written.tree, kindVM, "spec.dataVolumeTemplates[]."+written.prefix, key)
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
