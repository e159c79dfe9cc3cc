// Package plugin implements the contract of Argo CD's config management plugins: the
// environment of a plugin's command, the parameters that an Application can set, and
// how the command announces them. It does not depend on other packages of this module.
//
// The contract is that of argo-cd v3.2:
// docs/operator-manual/config-management-plugins.md, cmpserver/plugin/plugin.go and
// reposerver/repository/repository.go.
package plugin

import (
	"path"
	"path/filepath"
	"strings"
)

// The variables that Argo CD sets for every command of a plugin, the last two only for
// rendering (getPluginEnvs in reposerver/repository/repository.go).
const (
	applicationVar = "ARGOCD_APP_NAME"      // with its namespace, if that is not Argo CD's
	namespaceVar   = "ARGOCD_APP_NAMESPACE" // of the destination, not the Application's own
	sourcePathVar  = "ARGOCD_APP_SOURCE_PATH"
	parametersVar  = "ARGOCD_APP_PARAMETERS"
	kubeVersionVar = "KUBE_VERSION"
	apiVersionsVar = "KUBE_API_VERSIONS"
	// pluginVars is the prefix of the names in the Application's `plugin.env`.
	pluginVars = "ARGOCD_ENV_"
)

// ImageVariable is the variable of the sidecar's container, and not of an Application, that contains the image of the
// sidecar.
const ImageVariable = "VMRENDER_IMAGE"

// Placeholder stands for the image in the manifests that install the plugin, until the user sets it. No registry
// has that name (RFC 6761, section 6.4).
const Placeholder = "registry.invalid/vmrender:SET-ME"

// Request contains the settings that an Application passes to the plugin. The zero
// value is that of an Application without settings.
type Request struct {
	// Content is the selected content of the directory.
	Content Content
	// Application is the name of the Application, unique in its Argo CD.
	Application string
	// Namespace is the namespace of VMs that set none: the parameter, or the
	// destination's.
	Namespace string
	// SourcePath is the Application's directory from the repository's root, with slashes.
	SourcePath string
	// VMs selects VMs by name or namespace/name. Defaults to all.
	VMs []string
	// Overlays are paths of files as given, in order.
	Overlays []string
	// Defaults are values of VM keys, as in a file, by dotted key.
	Defaults map[string]string
	// Vars are strings by dotted key.
	Vars map[string]string
	// Layer is a layer of a platform; empty or [AllLayers] for the Applications of all
	// layers.
	Layer string
	// KubeVersion is the Kubernetes version of the destination, such as "1.34.1".
	KubeVersion string
	// APIVersions are the APIs that the destination serves, as group/version and
	// group/version/Kind, separated by commas; empty if they are unknown.
	APIVersions string
	// Image is the image of the sidecar, which also runs Jobs, or empty if it is unknown.
	Image string
}

// Content is what an Application's directory contains.
type Content string

// The contents.
const (
	Fleet    Content = "fleet"
	Platform Content = "platform"
)

// ReadEnvironment reads the environment of a plugin's command, as returned by
// [os.Environ], for a directory with the given contents, of which there is at least one.
// If there are several, the layer must select one: rendering the wrong one would delete
// all objects of the other. The first one stands for an unset layer. A parameter overrides the variable that stands
// for it, and the keys of a map override one by one. ReadEnvironment returns all
// errors, sorted by message; none contains a value, which may be a secret. The error
// for an unknown name is an [UnknownNameError].
func ReadEnvironment(environ []string, contents ...Content) (Request, []error) {
	env := variables(environ)
	r := Request{
		Application: env[applicationVar], Namespace: env[namespaceVar], SourcePath: env[sourcePathVar],
		KubeVersion: env[kubeVersionVar], APIVersions: env[apiVersionsVar], Image: env[ImageVariable],
	}
	if r.Image == Placeholder {
		r.Image = ""
	}
	inputs, errs := fromVariables(env)
	parameters, problems := fromParameters(env[parametersVar])
	errs = append(errs, problems...)
	inputs = append(inputs, parameters...)
	content, err := meant(inputs, contents)
	if err != nil {
		errs = append(errs, err)
	}
	r.Content = content
	errs = append(errs, r.apply(inputs)...)
	return r, sorted(errs)
}

// variables returns the variables of an environment by name. If a name appears twice,
// the last one counts, as for a process that is started with them (os/exec).
func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// RepositoryRoot returns the directory of the unpacked repository above a plugin's
// working directory, which must be an absolute path: what remains without the longest
// suffix that it shares with the Application's path. Argo CD may send only a part of
// the repository (--plugin-use-manifest-generate-paths, argo-cd v3.2). above is then
// the path of that part in the repository, such as "/sites/a", and otherwise "/".
func RepositoryRoot(workingDir, sourcePath string) (root, above string) {
	root, above = filepath.Clean(workingDir), path.Clean("/"+sourcePath)
	for above != "/" && path.Base(above) == filepath.Base(root) {
		root, above = filepath.Dir(root), path.Dir(above)
	}
	return root, above
}
