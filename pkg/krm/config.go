package krm

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Kind is the kind of the object that configures the function.
const Kind = "RenderFleet"

// Config is the object that configures the function: its functionConfig.
type Config struct {
	APIVersion string `json:"apiVersion" enum:"vmrender.io/v1alpha1"`
	Kind       string `json:"kind" enum:"RenderFleet"`
	Spec       Spec   `json:"spec"`
}

// Spec selects a fleet, and contains the settings that an Argo CD Application passes to the plugin as parameters of the
// same names.
type Spec struct {
	// Path is the directory or file of a fleet to render, relative to the working directory and inside it. If it is
	// empty, the fleets in the list are rendered.
	Path string `json:"path"`
	// Namespace is the namespace of VMs that set none.
	Namespace string `json:"namespace"`
	// VMs selects VMs by name or namespace/name. If empty, all VMs are selected.
	VMs []string `json:"vm"`
	// Overlays are files that merge over the fleet, in order, relative to the working directory and inside it.
	Overlays []string `json:"overlay"`
	// Defaults contains VM keys by dotted key, with values as in a file. They override the defaults of all files.
	Defaults map[string]string `json:"defaults" source:"secret"`
	// Vars contains vars for templates by dotted key. They override those of all files.
	Vars map[string]string `json:"vars" source:"secret"`
}

// configName is the name of the function's configuration in problems.
const configName = "functionConfig"

// readConfig returns what the configuration selects, and whether it is valid.
func (f *function) readConfig(config *yaml.RNode) (spec Spec, ok bool) {
	if config == nil {
		return spec, true
	}
	before, diags, at := len(f.problems), new(source.Diagnostics), "spec"
	for _, doc := range source.Parse(&source.File{Name: configName, Data: text(config)}, diags) {
		switch kind := doc.Get("kind").Str(); kind {
		case Kind:
			var c Config
			source.Decode(doc.Without("metadata"), &c, "", diags)
			spec = c.Spec
		case "ConfigMap": // parameters on the command line of kpt
			at = "data"
			source.Decode(doc.Get(at), &spec, at, diags)
		default:
			diags.Errorf(doc.Pos(), rule.UnknownValue, "kind", "unknown kind %q; %s", kind,
				suggest.DidYouMean(kind, []string{"ConfigMap", values.Kind, Kind}))
		}
	}
	f.add(diags.Sorted(), subject{file: configName, name: configName})
	f.checkPaths(spec, at)
	return spec, len(f.problems) == before
}

// checkPaths checks that all paths are inside the working directory. at is the path of spec.
func (f *function) checkPaths(spec Spec, at string) {
	if leaves(spec.Path) {
		f.configError(rule.BadPath, at+".path", "%q leaves the working directory; expected a path inside it", spec.Path)
	}
	for i, overlay := range spec.Overlays {
		if leaves(overlay) {
			f.configError(rule.BadPath, fmt.Sprintf("%s.overlay[%d]", at, i),
				"%q leaves the working directory; expected a path inside it", overlay)
		}
	}
}

// leaves reports whether a path is outside of the working directory, by itself or through symbolic links.
func leaves(name string) bool {
	if name == "" {
		return false
	}
	if !filepath.IsLocal(name) {
		return true
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return true
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	_, err = root.Stat(name)
	_, outside := os.Stat(name)
	return err != nil && outside == nil // what does not exist is reported by package fleet
}

// configError adds an error in the function's configuration.
func (f *function) configError(id rule.ID, path, format string, args ...any) {
	diags := new(source.Diagnostics)
	diags.Errorf(source.Pos{File: configName}, id, path, format, args...)
	f.add(diags.Sorted(), subject{})
}
