package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/source"
)

//go:embed plugin
var pluginTemplates embed.FS

// pluginFiles maps the files that install and document the plugin to their
// templates.
var pluginFiles = map[string]string{
	"docs/reference/parameters.md":               "parameters.md.tmpl",
	"plugin/plugin.yaml":                         "plugin.yaml.tmpl",
	"plugin/kustomize/repo-server.yaml":          "kustomize.yaml.tmpl",
	"plugin/kustomize/argocd-cmd-params-cm.yaml": "params.yaml.tmpl",
	"plugin/helm/values.yaml":                    "helm.yaml.tmpl",
	"plugin/openshift-gitops/argocd.yaml":        "openshift-gitops.yaml.tmpl",
	"plugin/kustomize/server.yaml":               "server-kustomize.yaml.tmpl",
	"plugin/helm/server.yaml":                    "server-helm.yaml.tmpl",
	"plugin/openshift-gitops/server.yaml":        "server-openshift.yaml.tmpl",
}

// pluginData is the data of the templates.
type pluginData struct {
	// Static is the parameters that plugin.yaml itself announces.
	Static []plugin.Announcement
	// Parameters is all parameters.
	Parameters []plugin.Reference
	// MaxFileSize, in MiB, and MaxDepth are the limits of values files.
	MaxFileSize, MaxDepth int
	// SyncTimeout, in seconds, is the limit of a sync.
	SyncTimeout int
	// Exclusions is a pattern of the files that repo-server sends to no plugin.
	Exclusions string
}

// syncTimeout is the limit of a sync, in seconds: an hour leaves time for the import of
// most disks (argo-cd v3.2.11, controller/appcontroller.go; Argo CD has none).
const syncTimeout = 3600

// exclusions matches the Git history, which grows with every commit. Argo CD matches it with the paths of all files and
// directories (argo-cd v3.2.11, util/io/files/tar.go, tgzFile). An empty .git stays, which marks the root of the
// repository.
const exclusions = ".git/*"

// addPluginFiles adds the files that contain the table of parameters or the
// container of the sidecar.
func addPluginFiles(files map[string][]byte) error {
	all := template.New("plugin")
	part := func(name string, data any) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return strings.Trim(out.String(), "\n"), err
	}
	_, err := all.Funcs(template.FuncMap{
		"cell":       cell,
		"indent":     indent,
		"container":  func(user int) (string, error) { return part("container", sidecar(user)) },
		"volume":     func() (string, error) { return part("volume", nil) },
		"timeout":    func() (string, error) { return part("timeout", nil) },
		"exclusions": func() (string, error) { return part("exclusions", nil) },
		"renames":    func() (string, error) { return part("renames", gitSettings) },
		"gitmount":   func() (string, error) { return part("gitmount", gitSettings) },
		"git":        func() (string, error) { return part("git", gitSettings) },
		"mount":      func() (string, error) { return part("mount", nil) },
		"extension":  func() (string, error) { return part("extension", nil) },
	}).ParseFS(pluginTemplates, "plugin/*.tmpl")
	if err != nil {
		return err
	}
	data := pluginData{
		plugin.StaticAnnouncements(), plugin.References(), source.MaxFileSize >> 20, source.MaxDepth, syncTimeout, exclusions,
	}
	for path, name := range pluginFiles {
		text, err := part(name, data)
		if err != nil {
			return fmt.Errorf("making %s: %w", path, err)
		}
		files[path] = []byte(text + "\n")
	}
	return nil
}

// container is the data of the sidecar's template.
type container struct {
	User                       int // 0 for any
	Placeholder, ImageVariable string
}

func sidecar(user int) container { return container{user, plugin.Placeholder, plugin.ImageVariable} }

// indent indents all lines, except empty ones.
func indent(columns int, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", columns) + line
		}
	}
	return strings.Join(lines, "\n")
}
