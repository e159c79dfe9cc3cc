package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// ownCluster is the cluster that Argo CD itself runs on, as Argo CD names it.
const ownCluster = "https://kubernetes.default.svc"

// order says all of the Application that is asked for; dirs are the
// directories that are rendered, each alone.
func (f *appFlags) order(cmd *cobra.Command, loaded *machine.Fleet, repo repository, dir string, dirs []string) (argocd.Order, error) {
	kinds, err := customizedKinds()
	if err != nil {
		return argocd.Order{}, err
	}
	o := argocd.Order{
		Fleet:             loaded.Header.Metadata.Name,
		Namespace:         cmp.Or(f.argocd, argocdNamespace(loaded.Header.Target)),
		Project:           f.project,
		Revision:          f.revision,
		Destination:       argocd.ApplicationDestination{Server: f.server, Name: f.cluster, Namespace: f.namespace},
		IgnoreDifferences: ignoreDifferences(kinds, f.ignore),
		RespectIgnored:    len(f.ignore) > 0,
		ServerSideDiff:    !values.Before(loaded.Header.Target.ArgoCD, 3, 1),
		RetryNewest:       !values.Before(loaded.Header.Target.ArgoCD, 3, 2),
	}
	if f.server+f.cluster == "" {
		o.Destination.Server = ownCluster
	}
	var problems [5]error
	o.RepoURL, problems[0] = f.repoURL(cmd, repo)
	o.Path, problems[1] = repo.path(dir)
	o.Parameters, problems[2] = parameters(f.options(cmd, f.vms), repo)
	o.Inputs, problems[3] = f.inputs(loaded, repo, dirs)
	o.Name, problems[4] = f.appName(loaded, repo, o.Path)
	return o, errors.Join(problems[:]...)
}

func argocdNamespace(target values.Target) string {
	if target.OpenShift {
		return "openshift-gitops"
	}
	return "argocd"
}

// repoURL is that of --repo, or of the remote "origin".
func (f *appFlags) repoURL(cmd *cobra.Command, repo repository) (string, error) {
	given := f.repo
	if given == "" {
		origin, err := repo.origin()
		if err != nil {
			return "", fmt.Errorf("reading the repository's configuration: %w", err)
		}
		if origin == "" {
			return "", fmt.Errorf(`%s: the repository has no remote "origin"; give its URL with --repo`, repo.root)
		}
		given = origin
	}
	public, secret, err := argocd.PublicURL(given)
	if secret {
		cmd.PrintErrln("note: the credentials in the repository's URL are left out; Argo CD keeps its own, in a Secret for the repository")
	}
	if err != nil {
		return "", fmt.Errorf("the repository's URL: %w; give --repo", err)
	}
	return public, nil
}

// parameters are what the Application says to the plugin.
func parameters(opts fleet.Options, repo repository) ([]argocd.ApplicationSourcePluginParameter, error) {
	var overlays []string
	for _, file := range opts.Overlays {
		inRepo, err := repo.path(file)
		if err != nil {
			return nil, err
		}
		overlays = append(overlays, "/"+inRepo)
	}
	all := []argocd.ApplicationSourcePluginParameter{
		{Name: "vm", Array: opts.VMs},
		{Name: "overlay", Array: overlays},
		{Name: "defaults", Map: pairs(opts.Defaults)},
		{Name: "vars", Map: pairs(opts.Set)},
	}
	return slices.DeleteFunc(all, func(p argocd.ApplicationSourcePluginParameter) bool { return len(p.Array)+len(p.Map) == 0 }), nil
}

// pairs makes a map of "key=value" options, which the fleet has checked.
func pairs(options []string) map[string]string {
	m := make(map[string]string, len(options))
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		m[key] = value
	}
	return m
}

// inputs are the files outside of the directories on which these depend, from
// the repository's root.
func (f *appFlags) inputs(loaded *machine.Fleet, repo repository, dirs []string) ([]string, error) {
	files := slices.Clone(f.fleetFlags.overlays)
	for _, dir := range dirs {
		more, err := loaded.Inputs(dir)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	for i, file := range files {
		inRepo, err := repo.path(file)
		if err != nil {
			return nil, err
		}
		if strings.Contains(inRepo, ";") {
			return nil, fmt.Errorf("%s: a semicolon in a path, which separates paths in the annotation %s; rename it", file, argocd.GeneratePathsAnnotation)
		}
		files[i] = inRepo
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// appName is that of --name, or one of the fleet's name and the path beneath its root.
func (f *appFlags) appName(loaded *machine.Fleet, repo repository, inRepo string) (string, error) {
	if f.name != "" {
		return f.name, nil
	}
	root, err := repo.path(loaded.Root)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(inRepo))
	if err != nil {
		return "", err
	}
	name := argocd.AppName(loaded.Header.Metadata.Name, filepath.ToSlash(rel))
	if !argocd.IsAppName(name) {
		return "", fmt.Errorf("%s: makes the name %q, which an Application cannot have; give one with --name: %s", inRepo, name, appNameRule)
	}
	return name, nil
}

// spread says how the directories become Applications.
func (f *appFlags) spread(loaded *machine.Fleet, repo repository, o argocd.Order, dirs []string) (argocd.Spread, error) {
	s := argocd.Spread{Clusters: pairs(f.clusters)}
	var problems [5]error
	s.Root, problems[0] = repo.path(loaded.Root)
	s.Directories, problems[1] = inRepository(repo, dirs)
	s.Others, problems[2] = others(repo, dirs)
	s.Rolling, problems[3] = f.steps()
	if f.overlays != "" {
		s.Overlays, problems[4] = repo.path(f.overlays)
	}
	if err := errors.Join(problems[:]...); err != nil {
		return s, err
	}
	return s, errors.Join(checkNames(o, s.Directories), checkSteps(o, s))
}

func inRepository(repo repository, dirs []string) ([]string, error) {
	paths := make([]string, len(dirs))
	for i, dir := range dirs {
		var err error
		if paths[i], err = repo.path(dir); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// checkNames wants a name of its own for each directory's Application.
func checkNames(o argocd.Order, dirs []string) error {
	var problems []error
	of := map[string]string{}
	for _, dir := range dirs {
		name := argocd.AppName(o.Name, beneath(o.Path, dir))
		switch other, taken := of[name]; {
		case taken:
			problems = append(problems, fmt.Errorf("%s: makes the Application's name %q, as %s does; rename one of them", dir, name, other))
		case !argocd.IsAppName(name):
			problems = append(problems, fmt.Errorf("%s: makes the name %q, which an Application cannot have; rename it, or begin the names with another --name: %s", dir, name, appNameRule))
		}
		of[name] = dir
	}
	return errors.Join(problems...)
}

// beneath is a path in the repository as seen from a directory above it.
func beneath(dir, file string) string {
	if dir == "." {
		return file
	}
	return strings.TrimPrefix(file, path.Clean(dir)+"/")
}

// checkSteps wants the steps to be directories that hold VMs.
func checkSteps(o argocd.Order, s argocd.Spread) error {
	if s.Rolling == nil || s.Rolling.ClusterLabel != "" {
		return nil
	}
	var known []string
	for _, dir := range s.Directories {
		first, _, _ := strings.Cut(beneath(o.Path, dir), "/")
		known = append(known, first)
	}
	known = slices.Compact(known)
	for _, step := range s.Rolling.Steps {
		if !slices.Contains(known, step) {
			return fmt.Errorf("--rolling %q: no directory with VMs right beneath %s; %s", step, o.Path, source.DidYouMean(step, known))
		}
	}
	return nil
}
