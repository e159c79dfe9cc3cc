package selfservice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// The kind of templates: v1beta1 is served from KubeVirt 1.9 on, and v1alpha1 is deprecated there
// (kubevirt/virt-template v0.2.0, config/crd/bases/template.kubevirt.io_virtualmachinetemplates.yaml).
const (
	apiVersion = "template.kubevirt.io/v1beta1"
	kind       = "VirtualMachineTemplate"
)

// parameter is what users choose of a VM.
type parameter struct {
	name, description string
	stands            string // what was rendered in its place; "" if it is a field
	field             func(os *catalog.ResolvedOS, vm tree) (in tree, key string)
	isNumber          bool
}

// reference returns what stands for the value of the parameter in a template.
func (p *parameter) reference() string {
	if p.isNumber {
		return "${{" + p.name + "}}"
	}
	return "${" + p.name + "}"
}

// parameters are those of all templates, in the order in which users see them after NAME. A template has those that its
// VM uses.
var parameters = []parameter{
	{name: "CPU", description: "number of virtual CPUs", field: cpu, isNumber: true},
	{name: "MEMORY", description: "memory of the guest, such as 4Gi", field: memory},
	{name: "DISK_SIZE", description: "size of the root disk, such as 30Gi", field: diskSize},
	{name: "SSH_KEY", description: "public SSH key of the user that cloud-init sets up", stands: sshKey},
	{name: "SOURCE_NAMESPACE", description: "namespace of the DataSource of the root disk", stands: sourceIn},
	{name: "SOURCE_NAME", description: "name of the DataSource of the root disk", stands: sourceOf},
}

func cpu(os *catalog.ResolvedOS, vm tree) (tree, string) {
	return manifest.Map(vm, "spec", "template", "spec", "domain", "cpu"), cmp.Or(os.Topology, "sockets")
}

func memory(_ *catalog.ResolvedOS, vm tree) (tree, string) {
	return manifest.Map(vm, "spec", "template", "spec", "domain", "memory"), "guest"
}

// diskSize returns the request for the root disk, whose claim has the name of the VM.
func diskSize(_ *catalog.ResolvedOS, vm tree) (tree, string) {
	for _, of := range []string{"storage", "pvc"} {
		for _, dv := range manifest.List(vm, "spec", "dataVolumeTemplates") {
			if request := manifest.Map(dv, "spec", of, "resources", "requests"); request != nil &&
				manifest.Text(dv, "metadata", "name") == manifest.Text(vm, "metadata", "name") {
				return request, "storage"
			}
		}
	}
	return nil, ""
}

// template returns the template of a rendered VM.
func (w *work) template(os *catalog.ResolvedOS, vm tree) tree {
	w.clean(vm)
	w.checkPlaceholders(os, vm)
	mark := tree{labels.Catalog: w.catalogName() + "/" + os.Name}
	meta := manifest.Map(vm, "metadata")
	if meta["annotations"] == nil {
		meta["annotations"] = tree{}
	}
	maps.Copy(manifest.Map(meta, "annotations"), mark)
	used := []any{tree{"name": "NAME", "description": "name of the VM", "required": true}}
	pairs := []string{manifest.Text(meta, "name"), "${NAME}"}
	for _, p := range parameters {
		declared := tree{"name": p.name, "description": p.description, "required": true}
		if p.stands != "" {
			if !contains(vm, p.stands) {
				continue
			}
			pairs = append(pairs, p.stands, "${"+p.name+"}")
		} else if in, key := p.field(os, vm); in[key] == nil {
			continue
		} else {
			declared["value"], in[key] = fmt.Sprint(in[key]), p.reference()
		}
		used = append(used, declared)
	}
	vm = replaced(vm, strings.NewReplacer(pairs...)).(tree)
	return tree{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": tree{
			"name":        os.Name,
			"labels":      tree{labels.ManagedBy: labels.Manager},
			"annotations": mark,
		},
		"spec": tree{"parameters": used, "virtualMachine": vm},
	}
}

// catalogName returns the name of the fleet with the catalog, or "built-in".
func (w *work) catalogName() string { return cmp.Or(w.fleet.Header.Metadata.Name, "built-in") }

// clean removes from a VM what is of Git: options and marks of Argo CD, Flux and vmrender, its namespace, and the
// identity of its firmware, which follows from the name, so that KubeVirt chooses another one for each VM. Its size is
// one that users choose.
func (w *work) clean(vm tree) {
	delete(vm, "apiVersion")
	delete(vm, "kind")
	delete(manifest.Map(vm, "metadata"), "namespace")
	disks := manifest.List(vm, "spec", "dataVolumeTemplates")
	metas := make([]tree, 0, len(disks)+2)
	metas = append(metas, manifest.Map(vm, "metadata"), manifest.Map(vm, "spec", "template", "metadata"))
	for _, dv := range disks {
		metas = append(metas, manifest.Map(dv, "metadata"))
	}
	for _, meta := range metas {
		for _, kind := range []string{"labels", "annotations"} {
			of := manifest.Map(meta, kind)
			for key := range of {
				if isOfGit(key) {
					delete(of, key)
				}
			}
			if len(of) == 0 {
				delete(meta, kind)
			}
		}
	}
	firmware := manifest.Map(vm, "spec", "template", "spec", "domain", "firmware")
	delete(firmware, "uuid")
	if delete(firmware, "serial"); len(firmware) == 0 {
		delete(manifest.Map(vm, "spec", "template", "spec", "domain"), "firmware")
	}
	if size := manifest.Map(metas[1], "labels"); size["kubevirt.io/size"] != nil {
		size["kubevirt.io/size"] = "custom"
	}
	if flavor := manifest.Map(metas[1], "annotations"); flavor["vm.kubevirt.io/flavor"] != nil {
		flavor["vm.kubevirt.io/flavor"] = "custom"
	}
}

func isOfGit(key string) bool {
	return labels.IsReserved(key) || key == labels.ManagedBy || outcome.IsForDelivery(key)
}

// placeholder is what virt-template takes for a parameter in a text, without a way to escape it (kubevirt/virt-template
// v0.2.0, staging/src/kubevirt.io/virt-template-engine/template/parameters.go).
var placeholder = lazyregexp.New(`\$\{\{?([a-zA-Z0-9_]+)\}`)

// checkPlaceholders reports texts of the VM that virt-template would take for parameters.
func (w *work) checkPlaceholders(os *catalog.ResolvedOS, vm tree) {
	var found []string
	each(vm, func(text string) {
		for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
	})
	slices.Sort(found)
	for _, name := range slices.Compact(found) {
		w.diags.Errorf(source.Pos{}, rule.Conflict, "catalog.os."+os.Name,
			"%q is a placeholder of VirtualMachineTemplates, which they cannot escape; write the text without it, "+
				"such as $%s", "${"+name+"}", name)
	}
}

func contains(v any, text string) bool {
	found := false
	each(v, func(s string) { found = found || strings.Contains(s, text) })
	return found
}

// each calls visit for all texts in a tree, keys included.
func each(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, below := range v {
			each(below, visit)
		}
	case tree:
		for key, below := range v {
			visit(key)
			each(below, visit)
		}
	}
}

// replaced returns a tree in which all texts are replaced, keys included.
func replaced(v any, by *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return by.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = replaced(below, by)
		}
		return out
	case tree:
		out := make(tree, len(v))
		for key, below := range v {
			out[by.Replace(key)] = replaced(below, by)
		}
		return out
	}
	return v
}
