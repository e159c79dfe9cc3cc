package delivery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
)

// Options are the settings of Applications that a fleet does not contain.
type Options struct {
	// Fleet contains the options for rendering the fleet. Overlays, VMs, Set and
	// Defaults become parameters of the plugin, and Namespace that of the destination.
	Fleet fleet.Options
	// Ignore lists JSON pointers to the optional fields of VirtualMachines to ignore.
	Ignore []string
	// Repo is the URL of the Git repository. Defaults to that of the remote "origin".
	Repo string
	// Revision is the branch, tag or commit to sync.
	Revision string
	// Name is the name of the Application, or that of the ApplicationSet and the prefix
	// of its Applications' names. Defaults to the fleet's name, the path, and words and
	// a hash for the namespace, overlays and clusters. Options that no word can show
	// need a name: VMs, Set, Defaults and Server.
	Name string
	// Project is the Argo CD project.
	Project string
	// WithProject also creates the AppProject, which allows what the fleet needs.
	WithProject bool
	// RestartWindow is when Argo CD may sync, by itself, the Applications in which a sync
	// restarts VMs: a schedule and a duration, such as "0 22 * * 6 4h", in UTC. It is
	// a part of the AppProject.
	RestartWindow string
	// PlanURL is the page with the plans of the fleet, which Argo CD links to.
	PlanURL string
	// ManualSync leaves syncs to the user, for example while a fleet adopts existing VMs.
	ManualSync bool
	// GeneratePaths makes Argo CD render again only if a commit touches files that the
	// Application is made from. It needs a setting of git in repo-server, which the
	// installation of the plugin has: without it, a file that is moved out of the
	// directory does not count (argo-cd v3.2.11, util/git/client.go, ChangedFiles, whose
	// diff shows a rename as its target only). A commit that arrives during the last
	// attempt of a sync, which then fails or is terminated, is not synced by itself
	// (controller/appcontroller.go, alreadyAttemptedSync).
	GeneratePaths bool
	// ArgoCDNamespace is the namespace of Argo CD. Defaults to the usual one on the
	// fleet's target.
	ArgoCDNamespace string
	// AppNamespace is the namespace of the Application. Defaults to that of Argo CD.
	AppNamespace string
	// Server is the URL of the destination's API server, and Cluster its name in Argo
	// CD. Defaults to Argo CD's own cluster.
	Server, Cluster string

	// Size is the number of clusters of the fleet, to choose the servers of Argo CD for it; 0 creates Applications
	// instead.
	Size int

	// AppSet creates an ApplicationSet. The options below apply only to it.
	AppSet bool
	// Clusters lists labels of the clusters to deploy to, as "key=value".
	Clusters []string
	// ClusterOverlays is a directory with an overlay NAME.yaml for each of the Clusters.
	ClusterOverlays string
	// Rolling lists the steps of a sync in order: directories immediately below the
	// path, or values of one label of clusters, as "key=value".
	Rolling []string
	// MaxUpdate is how many Applications of a step are synced at the same time, as a
	// number or percentage. Defaults to all.
	MaxUpdate string
}

var maxUpdateForm = lazyregexp.New(`^([1-9][0-9]*|[1-9][0-9]?%|100%)$`)

// defaultProject is the project that every Argo CD has, which allows everything.
const defaultProject = "default"

const (
	appNameRule   = "expected at most 63 lower case letters, digits, dashes and dots, with a letter or digit at both ends"
	namespaceRule = "not a namespace; " +
		"expected at most 63 lower case letters, digits and dashes, with a letter or digit at both ends"
	serverRule = "not the URL of an API server, or one with credentials, which Argo CD keeps in a Secret; " +
		"expected https://HOST:PORT"
)

// Check returns what is wrong with the options for any fleet.
func (o *Options) Check() error {
	for _, m := range slices.Concat(o.misfits(), o.malformed()) {
		if m.found {
			return errors.New(m.problem)
		}
	}
	if option := o.unnamed(); option != "" && o.Name == "" {
		return fmt.Errorf("%s needs --name: the default name does not show it, and an Application of the same name, "+
			"for other VMs, would be replaced", option)
	}
	if _, err := o.steps(); err != nil {
		return err
	}
	return errors.Join(
		checkLabels("--clusters", o.Clusters), checkIgnored(o.Ignore), o.checkWindow(), checkPlanURL(o.PlanURL),
	)
}

// mistake is a problem that options can have.
type mistake struct {
	found   bool
	problem string
}

// misfits returns the options that exclude or need each other.
func (o *Options) misfits() []mistake {
	return []mistake{
		{o.Server != "" && o.Cluster != "", "--server and --cluster both name the destination; use one of them"},
		{
			len(o.Clusters) > 0 && o.Server+o.Cluster != "",
			"--clusters specifies the destinations; remove --server and --cluster",
		},
		{!o.AppSet && len(o.Clusters) > 0, "--clusters needs --appset"},
		{!o.AppSet && len(o.Rolling) > 0, "--rolling needs --appset"},
		{o.ClusterOverlays != "" && len(o.Clusters) == 0, "--cluster-overlays needs --clusters"},
		{o.MaxUpdate != "" && len(o.Rolling) == 0, "--max-update needs --rolling"},
		{o.AppSet && len(o.Fleet.VMs) > 0, "--vm selects from one Application; remove --appset"},
		{
			o.WithProject && o.Project == defaultProject,
			"--with-project needs --project: Argo CD's own project \"default\" is not for one fleet",
		},
		{o.Size > 0 && o.WithProject, "--size prints no AppProject; remove --with-project"},
		{
			o.RestartWindow != "" && !o.WithProject,
			"--restart-window needs --with-project: windows are a part of the AppProject",
		},
	}
}

// malformed returns the options with values that are not accepted.
func (o *Options) malformed() []mistake {
	found := []mistake{
		{
			o.MaxUpdate != "" && !maxUpdateForm().MatchString(o.MaxUpdate),
			fmt.Sprintf("--max-update %q; expected a number from 1, or a percentage from 1%% to 100%%", o.MaxUpdate),
		},
		{o.Name != "" && !argocd.IsApplicationName(o.Name), fmt.Sprintf("--name %q: not a name; %s", o.Name, appNameRule)},
		{!argocd.IsApplicationName(o.Project), fmt.Sprintf("--project %q: not a name; %s", o.Project, appNameRule)},
	}
	for _, n := range []struct{ flag, namespace string }{
		{"namespace", o.Fleet.Namespace}, {"argocd-namespace", o.ArgoCDNamespace}, {"app-namespace", o.AppNamespace},
	} {
		found = append(found, mistake{
			n.namespace != "" && !argocd.IsNamespace(n.namespace),
			fmt.Sprintf("--%s %q: %s", n.flag, n.namespace, namespaceRule),
		})
	}
	return append(found,
		mistake{o.Server != "" && !argocd.IsServerURL(o.Server), "--server is " + serverRule},
		mistake{
			repeated(o.Rolling) != "",
			fmt.Sprintf("--rolling %q: given twice; expected each step once", repeated(o.Rolling)),
		},
	)
}

// unnamed returns the first option that the default name does not show, or "" if there
// is none.
func (o *Options) unnamed() string {
	switch {
	case len(o.Fleet.VMs) > 0:
		return "--vm"
	case len(o.Fleet.Set) > 0:
		return "--set"
	case len(o.Fleet.Defaults) > 0:
		return "--default"
	case o.Server != "" && o.Server != argocd.OwnCluster:
		return "--server"
	}
	return ""
}

// repeated returns the first name that appears a second time, or "" if there is none.
func repeated(names []string) string {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

// labelForm is the form of Kubernetes labels, as key=value.
var labelForm = lazyregexp.New(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?` + labelPart + `=(` + labelPart + `)?$`)

// labelPart is the form of the name in a label, and of its value.
const labelPart = `[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`

func checkLabels(option string, labels []string) error {
	for _, label := range labels {
		if !labelForm().MatchString(label) {
			return fmt.Errorf("%s %q: not a label; expected key=value", option, label)
		}
	}
	return nil
}

// pairs returns the map of "key=value" options that have been checked.
func pairs(options []string) map[string]string {
	m := make(map[string]string, len(options))
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		m[key] = value
	}
	return m
}
