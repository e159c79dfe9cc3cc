package krm

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// header is the file name of a Fleet.
const header = "fleet.yaml"

// directory renders the fleet, directory or file that the configuration names.
func (f *function) directory(spec Spec) []*yaml.RNode {
	rendered, diags := f.fleet(spec.Path, ".", spec)
	return f.objects(rendered, diags, subject{})
}

// object renders a Fleet that is an object in the list, with all its VMs. It is read as the fleet.yaml of a directory
// of its own.
func (f *function) object(of *yaml.RNode, items []*yaml.RNode, spec Spec) []*yaml.RNode {
	about := subjectOf(of, items)
	dir, err := os.MkdirTemp("", "vmrender-krm-")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a directory that stays does no harm
		about.file = filepath.Join(dir, header)
		err = os.WriteFile(about.file, headerText(of), 0o600)
	}
	if err != nil {
		diags := new(source.Diagnostics)
		diags.Errorf(source.Pos{File: about.name}, rule.Unreadable, "", "preparing the fleet: %s", err)
		f.add(diags.Sorted(), about)
		return nil
	}
	if spec.Namespace == "" {
		spec.Namespace = of.GetNamespace()
	}
	rendered, diags := f.fleet(dir, dir, spec)
	return f.objects(rendered, diags, about)
}

// headerText returns a Fleet as its file has it, without the metadata that tools add.
func headerText(of *yaml.RNode) []byte {
	of = of.Copy()
	if metadata := of.Field("metadata"); metadata != nil {
		for _, key := range []string{"annotations", "labels", "namespace"} {
			if _, err := metadata.Value.Pipe(yaml.Clear(key)); err != nil {
				break // not a map, which package fleet reports
			}
		}
	}
	return text(of)
}

// text returns an object as YAML. One that cannot be written, because it has nodes of no known kind, is empty.
func text(of *yaml.RNode) []byte {
	written, err := of.String()
	if err != nil {
		return nil
	}
	return []byte(written)
}

// fleet renders the fleet at path. It is searched up to the directory limit.
func (f *function) fleet(path, limit string, spec Spec) ([]render.Rendered, *source.Diagnostics) {
	opts := f.opts
	opts.Limit, opts.Namespace, opts.VMs, opts.Overlays = limit, spec.Namespace, spec.VMs, spec.Overlays
	opts.Defaults, opts.Set = pairs(spec.Defaults), pairs(spec.Vars)
	c := render.NewCollector()
	_, diags := inventory.Visit(path, opts, c.Visit)
	return c.Rendered(diags), diags
}

// pairs returns the entries of a map as options, sorted by key.
func pairs(entries map[string]string) []string {
	list := make([]string, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, key+"="+entries[key])
	}
	return list
}

// objects returns what was rendered as objects of a list, and adds the problems.
func (f *function) objects(rendered []render.Rendered, diags *source.Diagnostics, about subject) []*yaml.RNode {
	f.add(diags.Sorted(), about)
	if diags.HasErrors() {
		return nil
	}
	f.held += render.CountHeld(rendered)
	var written bytes.Buffer
	err := output.Machines(&written, manifest.YAML, rendered)
	var nodes []*yaml.RNode
	if err == nil {
		nodes, err = (&kio.ByteReader{Reader: &written, OmitReaderAnnotations: true}).Read()
	}
	if err != nil {
		failed := new(source.Diagnostics)
		failed.Errorf(source.Pos{}, rule.Encode, "", "%s", withoutContents("writing objects", err))
		f.add(failed.Sorted(), about)
	}
	return nodes
}

// add adds problems. Those of an object in the list have no line.
func (f *function) add(list []source.Diagnostic, about subject) {
	for _, d := range list {
		if about.file != "" {
			d.Message = strings.ReplaceAll(d.Message, about.file, about.name)
			if d.File == about.file {
				d.Pos = source.Pos{File: about.name}
			}
		}
		f.problems = append(f.problems, problem{d, about.object})
	}
}
