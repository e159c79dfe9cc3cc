package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/starter"
)

// read reads the objects of all inputs, and expands templates to objects.
func (f *importFlags) read(cmd *cobra.Command, args []string) ([]manifest.Object, error) {
	cluster := f.kubeconfig+f.context != ""
	switch {
	case cluster && len(args) > 0:
		return nil, errors.New("--kubeconfig and --context name a cluster; use them without files")
	case !cluster && len(args) == 0 && f.chart == "":
		return nil, errors.New(`no input; expected files, "-" for standard input, --from-chart, ` +
			"or --kubeconfig or --context for a cluster")
	case f.values != "" && (f.chart == "" || f.chart == "-"):
		return nil, errors.New("--values are those of a chart; use them with --from-chart")
	case !cluster && len(f.namespaces) > 1:
		return nil, errors.New("manifests without a namespace can be in one only; give --namespace once")
	}
	if f.options.Name == "" {
		f.options.Name = starter.FleetName(cmp.Or(f.dir, "imported"))
	}
	if cluster {
		return f.query(cmd)
	}
	if len(f.namespaces) == 1 {
		f.options.Namespace = f.namespaces[0]
	}
	diags := new(source.Diagnostics)
	var objects []manifest.Object
	for _, arg := range args {
		more, found := readInput(cmd, arg)
		objects = append(objects, more...)
		diags.Merge(found)
	}
	if f.chart != "" {
		more, err := f.renderChart(cmd)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	objects, unexpanded := adopt.Expand(objects, f.params)
	for _, p := range unexpanded {
		diags.Errorf(source.Pos{}, rule.Unreadable, "", "%s", p)
	}
	return objects, problems.Report(cmd.ErrOrStderr(), diags)
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

// readInput reads one file or directory of manifests, an archive, or an image layout.
func readInput(cmd *cobra.Command, at string) ([]manifest.Object, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	read := func(objects []manifest.Object, err error) ([]manifest.Object, *source.Diagnostics) {
		if err != nil {
			diags.Errorf(source.Pos{File: at}, rule.Unreadable, "", "%v", err)
		}
		return objects, diags
	}
	if at == "-" {
		l := compare.Manifests(at, cmd.InOrStdin())
		return l.Objects, l.Diags
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		if objects, err := adopt.ReadDir(os.DirFS(at)); objects != nil || err != nil {
			return read(objects, err)
		}
	}
	file, err := os.Open(at)
	if err != nil {
		return read(nil, err)
	}
	defer file.Close() //nolint:errcheck // nothing was written to it
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if !adopt.IsArchive(head[:n]) {
		l := compare.Manifests(at, cmd.InOrStdin())
		return l.Objects, l.Diags
	}
	return read(adopt.ReadArchive(io.MultiReader(bytes.NewReader(head[:n]), file)))
}

// query reads the VMs from the cluster, and what belongs to them.
func (f *importFlags) query(cmd *cobra.Command) ([]manifest.Object, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return readCluster(ctx, f.kubeconfig, f.context, f.namespaces)
}

func readCluster(ctx context.Context, kubeconfig, name string, namespaces []string) ([]manifest.Object, error) {
	cluster, name, err := rollout.Dial(kubeconfig, name)
	if err != nil {
		return nil, err
	}
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	s, err := readState(ctx, cluster, name, namespaces)
	return s.objects, err
}
