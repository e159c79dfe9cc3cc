package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// pushCharts packages the charts, pushes those whose version is not in the
// registry, and signs them. A chart that is already there does not change, because
// its version rises whenever it changes (make versions).
func (r *release) pushCharts(ctx context.Context) error {
	dirs, err := r.charts()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := r.pushChart(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) pushChart(ctx context.Context, dir string) error {
	if _, err := r.tools.run(ctx, "helm", "package", dir, "--destination", r.dist); err != nil {
		return err
	}
	chart := filepath.Base(dir)
	packed, err := r.packed(chart)
	if err != nil {
		return err
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(packed), chart+"-"), ".tgz")
	tag, err := name.NewTag(r.registry+"/charts/"+chart+":"+version, name.StrictValidation)
	if err != nil {
		return err
	}
	found, err := remote.Head(tag, options(ctx)...)
	if missing(err) {
		if _, err := r.tools.helm(ctx, "push", packed, "oci://"+r.registry+"/charts"); err != nil {
			return err
		}
		found, err = remote.Head(tag, options(ctx)...)
	} else if err == nil {
		fmt.Fprintf(os.Stderr, "%s exists, and stays as it is\n", tag)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", tag, err)
	}
	return r.tools.sign(ctx, "sign", tag.Context().Digest(found.Digest.String()).String())
}

// packed returns the file name of a chart's package.
func (r *release) packed(chart string) (string, error) {
	files, err := filepath.Glob(filepath.Join(r.dist, chart+"-[0-9]*.tgz"))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%d packages of the chart %s; expected one", len(files), chart)
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// missing reports whether a registry has answered that the object does not exist.
func missing(err error) bool {
	var answer *transport.Error
	return errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound
}
