package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/starter"
	"github.com/vmrender/vmrender/pkg/world"
)

// read reads the objects of all inputs.
func (f *importFlags) read(cmd *cobra.Command, args []string) ([]manifest.Object, error) {
	in := exports.Inputs{
		Files: args, Cluster: f.kubeconfig+f.context != "", Chart: f.chart, Values: f.values, Namespaces: f.namespaces,
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	if f.options.Name == "" {
		f.options.Name = starter.FleetName(cmp.Or(f.dir, "imported"))
	}
	if in.Cluster {
		return f.query(cmd)
	}
	if len(f.namespaces) == 1 {
		f.options.Namespace = f.namespaces[0]
	}
	return f.readFiles(cmd, args)
}

// readFiles reads the objects of files and of the chart, and expands templates to objects.
func (f *importFlags) readFiles(cmd *cobra.Command, files []string) ([]manifest.Object, error) {
	diags := new(source.Diagnostics)
	var objects []manifest.Object
	for _, file := range files {
		more, found := f.readInput(cmd, file)
		objects = append(objects, more...)
		diags.Merge(found)
	}
	diags = f.besideVMs(objects, diags)
	if f.chart != "" {
		more, err := f.renderChart(cmd)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	objects, unexpanded := exports.Expand(objects, f.params)
	for _, p := range unexpanded {
		diags.Errorf(source.Pos{}, rule.Unreadable, "", "%s", p)
	}
	return objects, problems.Report(cmd.ErrOrStderr(), diags)
}

// besideVMs returns problems of the input as warnings if VMs were read next to them: an export can have files that are
// no manifests, which must not keep the VMs from being imported.
func (f *importFlags) besideVMs(objects []manifest.Object, diags *source.Diagnostics) *source.Diagnostics {
	if !diags.HasErrors() || len(adopt.Names(objects, f.options)) == 0 {
		return diags
	}
	f.incomplete = true
	out := new(source.Diagnostics)
	for _, d := range diags.Sorted() {
		if d.Severity == source.Error {
			d.Severity, d.Message = source.Warning, d.Message+"; it is left out"
		}
		out.Add(d)
	}
	return out
}

// renderChart renders the chart with its values, or reads from standard input what a release
// contains. The fleet replaces the chart, so the chart does not count as another owner of
// the VMs.
func (f *importFlags) renderChart(cmd *cobra.Command) ([]manifest.Object, error) {
	if f.chart == "-" {
		l := compare.Manifests("-", cmd.InOrStdin())
		if err := problems.Report(cmd.ErrOrStderr(), l.Diags); err != nil {
			return nil, err
		}
		return adopt.WithoutHelm(l.Objects)
	}
	values, err := f.readValues(cmd)
	if err != nil {
		return nil, err
	}
	objects, err := layers.RenderChart(f.chart, values, f.options.Name, cmp.Or(f.options.Namespace, "default"))
	if err != nil {
		return nil, fmt.Errorf("%w\nif the chart asks the cluster for something, pipe what its release is made of: "+
			"helm get manifest RELEASE | vmrender import --from-chart -", err)
	}
	return adopt.WithoutHelm(objects)
}

// readValues reads the values of the chart as JSON.
func (f *importFlags) readValues(cmd *cobra.Command) ([]byte, error) {
	if f.values == "" {
		return []byte("{}"), nil
	}
	text, err := source.ReadFile(f.values)
	if err != nil {
		return nil, err
	}
	diags := new(source.Diagnostics)
	docs := source.Parse(&source.File{Name: f.values, Data: text}, diags)
	if len(docs) != 1 && !diags.HasErrors() {
		diags.Errorf(source.Pos{File: f.values}, rule.WrongType, "", "expected one document, the values of the chart")
	}
	if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
		return nil, err
	}
	return source.AppendJSON(nil, docs[0]), nil
}

// readInput reads one file or directory of manifests, an archive, an image layout, or a state or a plan of Terraform.
func (f *importFlags) readInput(cmd *cobra.Command, at string) ([]manifest.Object, *source.Diagnostics) {
	if at == "-" {
		in := bufio.NewReader(cmd.InOrStdin())
		if head, _ := in.Peek(headSize); exports.IsTerraform(head) {
			return f.readTerraform(at, in)
		}
		l := compare.Manifests(at, in)
		return l.Objects, l.Diags
	}
	if file, err := os.Open(at); err == nil { // a file that cannot be opened is an error of [exports.Read]
		defer file.Close() //nolint:errcheck // nothing was written to it
		in := bufio.NewReader(file)
		if head, _ := in.Peek(headSize); exports.IsTerraform(head) {
			return f.readTerraform(at, in)
		}
	}
	if objects, isExport, err := exports.Read(at); isExport {
		diags := new(source.Diagnostics)
		if err != nil {
			diags.Errorf(source.Pos{File: at}, rule.Unreadable, "", "%v", err)
		}
		return objects, diags
	}
	l := compare.ManifestsPart(at)
	return l.Objects, l.Diags
}

// headSize is how many bytes of a file decide what it is.
const headSize = 512

// readTerraform reads the objects of a state or a plan of Terraform, and notes the resources of its VMs.
func (f *importFlags) readTerraform(at string, in io.Reader) ([]manifest.Object, *source.Diagnostics) {
	s := exports.ReadTerraform(in)
	diags := new(source.Diagnostics)
	for _, p := range s.Problems {
		diags.Errorf(source.Pos{File: at, Line: p.Line, Col: p.Col}, rule.Unreadable, p.Address, "%s", p.Text)
	}
	for _, n := range s.Notes {
		diags.Add(source.Diagnostic{
			Pos: source.Pos{File: at}, Severity: source.Warning, Rule: rule.Unreadable, Path: n.Address, Message: n.Text,
		})
	}
	objects := make([]manifest.Object, len(s.Objects))
	disks := map[string][]string{} // addresses, by NAMESPACE/NAME
	for i, o := range s.Objects {
		objects[i] = o.Object
		if o.Kind == "DataVolume" || o.Kind == "PersistentVolumeClaim" {
			key := f.options.NamespaceOf(o.Object) + "/" + o.Name
			disks[key] = append(disks[key], o.Address)
		}
	}
	for _, o := range s.Objects {
		if adopt.IsVM(o.Object) {
			namespace := f.options.NamespaceOf(o.Object)
			origin := adopt.Origin{File: at, Address: o.Address, Sensitive: o.Sensitive}
			for _, name := range world.Claims(world.Spec(o.Tree())) {
				origin.Disks = append(origin.Disks, disks[namespace+"/"+name]...)
			}
			f.origins[namespace+"/"+o.Name] = origin
		}
	}
	return objects, diags
}

// query reads the VMs from the cluster, and what belongs to them.
func (f *importFlags) query(cmd *cobra.Command) ([]manifest.Object, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return readCluster(ctx, f.kubeconfig, f.context, f.namespaces)
}

func readCluster(ctx context.Context, kubeconfig, name string, namespaces []string) ([]manifest.Object, error) {
	cluster, _, err := rollout.Dial(kubeconfig, name)
	if err != nil {
		return nil, err
	}
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	objects, _, err := readObjects(ctx, cluster, stateOf(namespaces, nil), manifest.Reader{})
	return objects, err
}
