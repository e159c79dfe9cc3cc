package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/starter"
)

// read reads the objects of all inputs, and makes objects of templates.
func (f *importFlags) read(cmd *cobra.Command, args []string) ([]manifest.Object, error) {
	cluster := f.kubeconfig+f.context != ""
	switch {
	case cluster && len(args) > 0:
		return nil, errors.New("--kubeconfig and --context name a cluster; use them without files")
	case !cluster && len(args) == 0:
		return nil, errors.New(`no input; expected files, "-" for standard input, or --kubeconfig or --context for a cluster`)
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
	objects, problems := adopt.Expand(objects, f.params)
	for _, p := range problems {
		diags.Errorf(source.Pos{}, rule.Unreadable, "", "%s", p)
	}
	return objects, report.Problems(cmd.ErrOrStderr(), diags)
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
		l := loadManifests(cmd, at)
		return l.objects, l.diags
	}
	if _, err := os.Stat(filepath.Join(at, "index.json")); err == nil {
		return read(adopt.ReadLayout(os.DirFS(at)))
	}
	file, err := os.Open(at)
	if err != nil {
		return read(nil, err)
	}
	defer file.Close() //nolint:errcheck // nothing was written to it
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if !adopt.IsArchive(head[:n]) {
		l := loadManifests(cmd, at)
		return l.objects, l.diags
	}
	return read(adopt.ReadArchive(io.MultiReader(bytes.NewReader(head[:n]), file)))
}

// query reads the machines from the cluster, and what belongs to them.
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
