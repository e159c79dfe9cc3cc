package layers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/source"
)

// fleetFile is the file that makes a directory a fleet.
const fleetFile = "fleet.yaml"

// Options are the options of a command in addition to the platform's file.
type Options struct {
	platform.Options
	// Layer is the name of the only layer to render. Defaults to the app-of-apps, like [All].
	Layer string
	// Policies wraps the layers in policies of Red Hat Advanced Cluster Management.
	Policies bool
	// KubeVersion is the version of the cluster, such as "1.33.1". Defaults to the target's.
	KubeVersion string
	// APIVersions are the APIs that the cluster serves, as group/version or
	// group/version/Kind; nil if they are unknown.
	APIVersions []string
}

// All as the name of a layer selects the app-of-apps, also next to a fleet.
const All = "*"

// Check returns what is wrong with the options on any platform. Messages use the names
// of the options of `vmrender template`.
func (o Options) Check() error {
	switch {
	case o.Policies && o.Layer != "":
		return errors.New("--as and --layer exclude each other; use one of them")
	case o.KubeVersion != "" && !IsVersion(o.KubeVersion):
		return fmt.Errorf("--kube-version %q; expected a version such as \"1.33\"", o.KubeVersion)
	}
	return nil
}

// File returns the platform's file for a path, if it refers to a platform: the path
// itself, or the file in a directory. A directory with a fleet refers to the fleet,
// unless the options select something that only a platform has.
func (o Options) File(path string) (string, bool) {
	if filepath.Base(path) == FileName {
		return path, true
	}
	file := filepath.Join(path, FileName)
	fleet := isFile(filepath.Join(path, fleetFile)) && o.Layer == "" && !o.Policies
	if fleet || !isFile(file) {
		return "", false
	}
	return file, true
}

// FileBesideFleet returns the platform's file in a directory that also contains a fleet.
func FileBesideFleet(dir string) (string, bool) {
	file := filepath.Join(dir, FileName)
	return file, isFile(filepath.Join(dir, fleetFile)) && isFile(file)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Render renders the part of the platform at path that the options select. The result
// must only be used if there are no errors.
func Render(path string, o Options) ([]manifest.Object, *source.Diagnostics) {
	switch {
	case o.Policies:
		return renderPolicies(path, o)
	case o.Layer != "" && o.Layer != All:
		return renderLayer(path, o.Layer, o)
	}
	return appOfApps(path, o)
}
