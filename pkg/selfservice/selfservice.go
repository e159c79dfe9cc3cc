// Package selfservice renders the operating systems of a catalog as VirtualMachineTemplates of KubeVirt, from which
// users create VMs in the console. Their VirtualMachines are those that package render writes for a VM with no keys of
// its own: the fields that users choose become parameters.
package selfservice

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

type tree = manifest.Tree

// What stands for the values of parameters while the VMs are rendered.
const (
	sshKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAx0key0x"
	sourceIn = "x0namespace0x"
	sourceOf = "x0source0x"
)

// nameOf returns the name of the VM of an operating system while it is rendered.
func nameOf(i int) string { return fmt.Sprintf("x0name%dx0", i) }

// anyName is one of these names.
var anyName = lazyregexp.New(`x0name\d+x0`)

// Templates returns a VirtualMachineTemplate for each operating system of the catalog of the fleet at a path, or of the
// built-in catalog for "", sorted by name. The VMs inherit the defaults in fleet.yaml and the overlays, except those
// for what is not part of a VirtualMachine. If there are errors, there are no templates.
func Templates(path string, opts fleet.Options) ([]manifest.Object, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	if path == "" {
		path, opts.Stdin = "-", strings.NewReader("")
	}
	f := fleet.Open(path, opts, diags)
	if f.Catalog == nil || diags.HasErrors() {
		return nil, diags
	}
	w := work{fleet: f, diags: new(source.Diagnostics)}
	for _, name := range f.Catalog.Names("os") {
		w.systems = append(w.systems, f.Catalog.OS(name))
	}
	opts.Instead, opts.Namespace = w.entries(), cmp.Or(opts.Namespace, "default")
	c := render.NewCollector()
	_, found := inventory.Visit(path, opts, c.Visit)
	rendered := render.Objects(c.Rendered(found)...)
	w.place(path, found)
	if w.diags.HasErrors() {
		return nil, w.diags
	}
	return w.templates(rendered), w.diags
}

// work is the templates of one catalog.
type work struct {
	fleet   *fleet.Fleet
	systems []*catalog.ResolvedOS
	diags   *source.Diagnostics
}

// firstLine is the line of the first entry in [work.entries], which has a line for each.
const firstLine = 2

// dropped are keys of defaults whose objects are not part of a VirtualMachine, or follow from its place in a fleet.
const dropped = "lifecycle: null, services: null, objects: null, maintenance: null, snapshots: null, power: null, " +
	"dependsOn: null, wave: null, stage: null"

// entries returns a file with one VM for each operating system.
func (w *work) entries() []byte {
	var out strings.Builder
	out.WriteString("vms:\n")
	for i, os := range w.systems {
		keys := []string{"os: " + fmt.Sprintf("%q", os.Name), dropped}
		if !w.isInherited(os, "flavor", "cpu", "memory", "instancetype", "resources") {
			keys = append(keys, "flavor: "+flavorOf(os))
		}
		root := "keep: false"
		if hasNoImage(os) {
			root += ", source: {dataSource: " + sourceIn + "/" + sourceOf + "}"
			if os.RootSize != "" { // the renderer leaves the size to a source that a VM names
				root += ", size: " + os.RootSize
			}
		}
		keys = append(keys, "disks: {root: {"+root+"}}")
		switch {
		case w.takesKey(os):
			keys = append(keys, "cloudInit: {store: inline, sshKeys: ["+sshKey+"]}")
		case os.Family == "windows" && !w.fleet.HasDefault("cloudInit", "datasource"):
			keys = append(keys, "cloudInit: null") // the defaults are those for Linux
		}
		fmt.Fprintf(&out, "  %s: {%s}\n", nameOf(i), strings.Join(keys, ", "))
	}
	return []byte(out.String())
}

// isInherited reports whether a VM of the operating system inherits one of some keys.
func (w *work) isInherited(os *catalog.ResolvedOS, keys ...string) bool {
	for _, key := range keys {
		if w.fleet.HasDefault(key) || os.Defaults.Get(key).IsSet() {
			return true
		}
	}
	return false
}

// takesKey reports whether users give their VMs an SSH key: those of Linux, unless the fleet defines who can log in.
func (w *work) takesKey(os *catalog.ResolvedOS) bool {
	return os.Family == "linux" && !w.isInherited(os, "cloudInit", "accessCredentials")
}

// hasNoImage reports whether users have to name the source of the root disk.
func hasNoImage(os *catalog.ResolvedOS) bool {
	return os.Image == nil && !os.Defaults.Get("disks", "root", "source").IsSet()
}

// flavorOf returns the default size of VMs: the smallest of two common ones that the operating system runs with.
func flavorOf(os *catalog.ResolvedOS) string {
	if os.Minimum != nil && os.Minimum.CPU > 1 {
		return "large"
	}
	return "medium"
}

// place adds problems of entries with the operating system in the place of the entry, and all others at the defaults
// that they are in.
func (w *work) place(path string, found *source.Diagnostics) {
	for _, d := range found.Sorted() {
		if i := d.Line - firstLine; d.File == fleet.StdinName && i >= 0 && i < len(w.systems) {
			d.Path = "catalog.os." + w.systems[i].Name + strings.TrimPrefix(d.Path, "vms."+nameOf(i))
			d.Pos = source.Pos{File: path}
			if path == "-" {
				d.Pos = source.Pos{}
			}
		}
		if name := anyName().FindString(d.Path); name != "" {
			d.Path = strings.Replace(d.Path, "vms."+name, "defaults", 1)
		}
		d.Message = anyName().ReplaceAllString(d.Message, "NAME")
		w.diags.Add(d)
	}
}

// templates returns the templates of the VMs among rendered objects.
func (w *work) templates(rendered []manifest.Object) []manifest.Object {
	var out []manifest.Object
	for i, os := range w.systems {
		for _, o := range rendered {
			switch {
			case !strings.Contains(o.Name, nameOf(i)):
				continue
			case o.Kind != "VirtualMachine":
				w.leaveOut(os, o)
				continue
			}
			made, err := manifest.New(w.template(os, o.Tree()))
			if err != nil {
				w.diags.Errorf(source.Pos{}, rule.Encode, "catalog.os."+os.Name, "the template cannot be written: %s", err)
				continue
			}
			out = append(out, made)
		}
	}
	if w.diags.HasErrors() {
		return nil
	}
	return out
}

// leaveOut reports an object that is rendered next to a VM.
func (w *work) leaveOut(os *catalog.ResolvedOS, o manifest.Object) {
	name := anyName().ReplaceAllString(o.Name, "NAME")
	w.diags.Errorf(source.Pos{}, rule.Conflict, "catalog.os."+os.Name,
		"the defaults render the %s %q, and a template creates only a VirtualMachine; "+
			"set `keep: false` for disks and `store: inline` for cloudInit in the defaults", o.Kind, name)
}
