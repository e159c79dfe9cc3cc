// Package plugin is the contract of Argo CD's config management plugins: what a
// plugin's command finds in its environment, which parameters an Application can
// set, and how the command announces them. It depends on no other package of ours.
//
// The contract is that of argo-cd v3.2: docs/operator-manual/config-management-plugins.md,
// cmpserver/plugin/plugin.go and reposerver/repository/repository.go.
package plugin

import (
	"path"
	"path/filepath"
	"strings"
)

// The variables that Argo CD sets for every command of a plugin; the last two
// only where it renders (getPluginEnvs in reposerver/repository/repository.go).
const (
	namespaceVar   = "ARGOCD_APP_NAMESPACE" // of the destination, not the Application's own
	sourcePathVar  = "ARGOCD_APP_SOURCE_PATH"
	parametersVar  = "ARGOCD_APP_PARAMETERS"
	kubeVersionVar = "KUBE_VERSION"
	apiVersionsVar = "KUBE_API_VERSIONS"
	// pluginVars stands before the names of the Application's `plugin.env`.
	pluginVars = "ARGOCD_ENV_"
)

// Request is what an Application asks of the plugin. The zero value is that of
// an Application which sets nothing.
type Request struct {
	// Content is which of the directory's contents is meant.
	Content Content
	// Namespace is for VMs that have none: the parameter, or the destination's.
	Namespace string
	// SourcePath is the Application's directory from the repository's root, with slashes.
	SourcePath string
	// VMs selects by name or namespace/name; all where empty.
	VMs []string
	// Overlays are paths of files as given, in order.
	Overlays []string
	// Defaults are VM keys, each as it would be written in a file, by dotted key.
	Defaults map[string]string
	// Vars are texts by dotted key.
	Vars map[string]string
	// Layer of a platform; empty or [AllLayers] for the Applications of all.
	Layer string
	// KubeVersion is the version of the destination's Kubernetes, such as "1.34.1".
	KubeVersion string
	// APIVersions are what the destination serves: group/version and
	// group/version/Kind, separated by commas. Nothing is known where it is empty.
	APIVersions string
}

// Content is what an Application's directory holds.
type Content string

// The contents.
const (
	Fleet    Content = "fleet"
	Platform Content = "platform"
)

// ReadEnvironment reads the environment of a plugin's command, as [os.Environ]
// gives it, for a directory with the given content, and perhaps others that are
// meant where there is a parameter for them. A parameter wins over the variable that
// stands for it; of a map, key by key. It returns every mistake that it finds, sorted by message; none of
// them shows a value, which may be a secret. For names that are not known the
// error is an [UnknownNameError].
func ReadEnvironment(environ []string, content Content, others ...Content) (Request, []error) {
	env := variables(environ)
	r := Request{
		Namespace: env[namespaceVar], SourcePath: env[sourcePathVar],
		KubeVersion: env[kubeVersionVar], APIVersions: env[apiVersionsVar],
	}
	inputs, errs := fromVariables(env)
	parameters, problems := fromParameters(env[parametersVar])
	errs = append(errs, problems...)
	inputs = append(inputs, parameters...)
	r.Content = meant(inputs, content, others)
	errs = append(errs, r.apply(inputs)...)
	return r, sorted(errs)
}

// variables are an environment's by name; of two with one name the last counts,
// as for a process that is started with them (os/exec).
func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// RepositoryRoot returns the directory of the unpacked repository above a
// plugin's working directory, given as an absolute path: what remains without
// the longest end that it shares with the Application's path. Argo CD may send a
// part of the repository only (--plugin-use-manifest-generate-paths, argo-cd
// v3.2): above is then the part's path in the repository, such as "/sites/a",
// and otherwise "/".
func RepositoryRoot(workingDir, sourcePath string) (root, above string) {
	root, above = filepath.Clean(workingDir), path.Clean("/"+sourcePath)
	for above != "/" && path.Base(above) == filepath.Base(root) {
		root, above = filepath.Dir(root), path.Dir(above)
	}
	return root, above
}
