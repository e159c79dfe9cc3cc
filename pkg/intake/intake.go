// Package intake reads what VMs are imported from outside a cluster: manifests, the files of package exports, and a
// Helm chart.
package intake

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Result is what the inputs have.
type Result struct {
	Objects []manifest.Object
	Origins map[string]adopt.Origin // of VMs that Terraform manages, by NAMESPACE/NAME
	// Incomplete is true if parts of the inputs were left out, with a warning.
	Incomplete bool
}

// reading is the state while inputs are read.
type reading struct {
	*Inputs
	Result
	stdin io.Reader
	diags *source.Diagnostics
}

// Read reads the objects of the files and of the chart, and expands templates to objects. An error is one of the chart.
func (in *Inputs) Read(stdin io.Reader) (Result, *source.Diagnostics, error) {
	r := reading{
		Inputs: in, Result: Result{Origins: map[string]adopt.Origin{}}, stdin: stdin, diags: new(source.Diagnostics),
	}
	for _, file := range in.Files {
		r.Objects = append(r.Objects, r.file(file)...)
	}
	r.besideVMs()
	if in.Chart != "" {
		objects, err := r.chart()
		if err != nil {
			return r.Result, r.diags, err
		}
		r.Objects = append(r.Objects, objects...)
	}
	objects, unexpanded := exports.Expand(r.Objects, in.Params)
	for _, p := range unexpanded {
		r.diags.Errorf(source.Pos{}, rule.Unreadable, "", "%s", p)
	}
	r.Objects = objects
	return r.Result, r.diags, nil
}

// besideVMs makes problems of the files warnings if VMs were read next to them: an export can have files that are no
// manifests, which must not keep the VMs from being imported.
func (r *reading) besideVMs() {
	if !r.diags.HasErrors() || len(adopt.Names(r.Objects, r.Options)) == 0 {
		return
	}
	r.Incomplete = true
	warnings := new(source.Diagnostics)
	for _, d := range r.diags.Sorted() {
		if d.Severity == source.Error {
			d.Severity, d.Message = source.Warning, d.Message+"; it is left out"
		}
		warnings.Add(d)
	}
	r.diags = warnings
}

// chart renders the chart with its values, or reads from standard input what a release contains. The fleet replaces
// the chart, so the chart does not count as another owner of the VMs.
func (r *reading) chart() ([]manifest.Object, error) {
	if r.Chart == "-" {
		l := compare.Manifests("-", r.stdin)
		r.diags.Merge(l.Diags)
		return adopt.WithoutHelm(l.Objects)
	}
	values, err := r.values()
	if err != nil || r.diags.HasErrors() {
		return nil, err
	}
	objects, err := layers.RenderChart(r.Chart, values, r.Options.Name, cmp.Or(r.Options.Namespace, "default"))
	if err != nil {
		return nil, fmt.Errorf("%w\nif the chart asks the cluster for something, pipe what its release is made of: "+
			"helm get manifest RELEASE | vmrender import --from-chart -", err)
	}
	return adopt.WithoutHelm(objects)
}

// values reads the values of the chart as JSON.
func (r *reading) values() ([]byte, error) {
	if r.Values == "" {
		return []byte("{}"), nil
	}
	text, err := source.ReadFile(r.Values)
	if err != nil {
		return nil, err
	}
	diags := new(source.Diagnostics)
	docs := source.Parse(&source.File{Name: r.Values, Data: text}, diags)
	if len(docs) != 1 && !diags.HasErrors() {
		diags.Errorf(source.Pos{File: r.Values}, rule.WrongType, "", "expected one document, the values of the chart")
	}
	r.diags.Merge(diags)
	if diags.HasErrors() {
		return nil, nil
	}
	return source.AppendJSON(nil, docs[0]), nil
}

// headSize is how many bytes of a file decide what it is.
const headSize = 512

// file reads one file or directory of manifests, an archive, an image layout, or a state or a plan of Terraform.
func (r *reading) file(at string) []manifest.Object {
	if at == "-" {
		in := bufio.NewReader(r.stdin)
		if head, _ := in.Peek(headSize); exports.IsTerraform(head) {
			return r.terraform(at, in)
		}
		return r.loaded(compare.Manifests(at, in))
	}
	if file, err := os.Open(at); err == nil { // a file that cannot be opened is an error of [exports.Read]
		defer file.Close() //nolint:errcheck // nothing was written to it
		in := bufio.NewReader(file)
		if head, _ := in.Peek(headSize); exports.IsTerraform(head) {
			return r.terraform(at, in)
		}
	}
	if objects, isExport, err := exports.Read(at); isExport {
		if err != nil {
			r.diags.Errorf(source.Pos{File: at}, rule.Unreadable, "", "%v", err)
		}
		return objects
	}
	return r.loaded(compare.ManifestsPart(at))
}

// loaded returns the objects of manifests, and notes their problems.
func (r *reading) loaded(l compare.Loaded) []manifest.Object {
	r.diags.Merge(l.Diags)
	return l.Objects
}
