// Package argocd is the contract of Argo CD's config management plugins: what a
// plugin's command finds in its environment, which parameters an Application can
// give it, and how it announces them. It knows nothing of fleets and machines.
//
// The contract is that of argo-cd v3.2: docs/operator-manual/config-management-plugins.md,
// cmpserver/plugin/plugin.go and reposerver/repository/repository.go.
package argocd

import (
	"path"
	"path/filepath"
	"strings"
)

// The variables that Argo CD sets for every command of a plugin.
const (
	namespaceVar  = "ARGOCD_APP_NAMESPACE" // of the destination, not the Application's own
	sourcePathVar = "ARGOCD_APP_SOURCE_PATH"
	parametersVar = "ARGOCD_APP_PARAMETERS"
	// pluginVars stands before the names of the Application's `plugin.env`.
	pluginVars = "ARGOCD_ENV_"
)

// Application is what an Application says to the plugin. The zero value is one
// that says nothing.
type Application struct {
	// Namespace is for VMs that have none: the parameter, or the destination's.
	Namespace string
	// SourcePath is the Application's directory from the repository's root, with slashes.
	SourcePath string
	// VMs selects by name or namespace/name; all where empty.
	VMs []string
	// Overlays are paths of files as given, in order.
	Overlays []string
	// Vars are texts by dotted key.
	Vars map[string]string
}

// ReadEnvironment reads the environment of a plugin's command, as [os.Environ]
// gives it. A parameter wins over the variable that stands for it; of vars, key
// by key. It returns every mistake that it finds, sorted by message; none of
// them shows a value, which may be a secret. For names that are not known the
// error is an [UnknownNameError].
func ReadEnvironment(environ []string) (Application, []error) {
	env := variables(environ)
	app := Application{Namespace: env[namespaceVar], SourcePath: env[sourcePathVar]}
	inputs, errs := fromVariables(env)
	parameters, problems := fromParameters(env[parametersVar])
	errs = append(errs, problems...)
	errs = append(errs, app.apply(append(inputs, parameters...))...)
	return app, sorted(errs)
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
// v3.2), and the working directory is then less deep than the Application's path.
func RepositoryRoot(workingDir, sourcePath string) string {
	root, rest := filepath.Clean(workingDir), path.Clean("/"+sourcePath)
	for rest != "/" && path.Base(rest) == filepath.Base(root) {
		root, rest = filepath.Dir(root), path.Dir(rest)
	}
	return root
}
