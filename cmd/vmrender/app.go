package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

// appFlags are what the fleet cannot say of its Application.
type appFlags struct {
	fleetFlags
	vms       []string
	ignore    []string
	repo      string
	revision  string
	name      string
	project   string
	argocd    string // namespace
	server    string
	cluster   string
	appset    bool
	clusters  []string
	overlays  string // directory
	rolling   []string
	maxUpdate string
}

func newAppCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "app [PATH]",
		Short: "Print the Argo CD Application for a fleet, or for a part of it",
		Long: `Validate the fleet or directory at PATH (the working directory by default) and
print the Argo CD Application that renders it with the plugin. It is rendered
again when a commit touches what it is made from: PATH, fleet.yaml, the
_defaults.yaml of the directories above, overlays.

With --appset print an ApplicationSet instead: one Application for each
directory that holds VMs, and with --clusters one for each of those on each
cluster. --rolling syncs them step by step; what is in no step comes last.

Errors in the fleet are reported on stderr; nothing is written to stdout then.`,
		Example: `  vmrender app sites/a | kubectl apply -f -
  vmrender app sites/a/prod --cluster east --vm web01
  vmrender app sites/a --appset --rolling lab --rolling prod --max-update 25%
  vmrender app fleet --appset --clusters vms=enabled --cluster-overlays clusters`,
	}
	flags := new(appFlags)
	flags.register(cmd)
	cmd.Args = cobra.MatchAll(argsBetween(0, 1), func(*cobra.Command, []string) error { return flags.check() })
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return flags.run(cmd, pathArg(args)) }
	return cmd
}

func (f *appFlags) register(cmd *cobra.Command) {
	f.fleetFlags.register(cmd)
	flags := cmd.Flags()
	flags.Lookup("namespace").Usage = "destination `namespace`: of VMs that have none"
	flags.StringArrayVar(&f.vms, "vm", nil, "`name` or namespace/name of a VM to render (repeatable); all by default")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "JSON pointer to a `field` of VirtualMachines that is left to others, such as /spec/runStrategy (repeatable)")
	flags.StringVar(&f.repo, "repo", "", "`URL` of the Git repository; that of the remote \"origin\" by default")
	flags.StringVar(&f.revision, "revision", "HEAD", "`branch`, tag or commit that is synced; HEAD is the default branch")
	flags.StringVar(&f.name, "name", "", "`name` of the Application, or of the ApplicationSet and the beginning of its Applications' names; made of the fleet's name and the path by default")
	flags.StringVar(&f.project, "project", "default", "Argo CD `project`")
	flags.StringVar(&f.argocd, "argocd-namespace", "", "`namespace` of Argo CD; argocd by default, openshift-gitops where the target is OpenShift")
	flags.StringVar(&f.server, "server", "", "`URL` of the destination's API server; Argo CD's own cluster by default")
	flags.StringVar(&f.cluster, "cluster", "", "`name` of the destination in Argo CD, instead of --server")
	flags.BoolVar(&f.appset, "appset", false, "print an ApplicationSet with an Application per directory")
	flags.StringArrayVar(&f.clusters, "clusters", nil, "label `key=value` of the clusters to deploy to, with --appset (repeatable)")
	flags.StringVar(&f.overlays, "cluster-overlays", "", "`directory` with an overlay NAME.yaml for every one of the --clusters")
	flags.StringArrayVar(&f.rolling, "rolling", nil, "a `step` to sync, with --appset: a directory right beneath PATH, or a label key=value of clusters (repeatable, in order)")
	flags.StringVar(&f.maxUpdate, "max-update", "", "how many Applications of a step are synced at a time, as a `number` or percentage; all by default")
	for _, name := range []string{"vm", "ignore", "repo", "revision", "name", "project", "argocd-namespace", "server", "cluster", "clusters", "rolling", "max-update"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "cluster-overlays", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

var maxUpdateForm = regexp.MustCompile(`^([1-9][0-9]*|[1-9][0-9]?%|100%)$`)

// check finds what is wrong with the flags, whatever the fleet.
func (f *appFlags) check() error {
	for _, rule := range []struct {
		broken  bool
		problem string
	}{
		{f.server != "" && f.cluster != "", "--server and --cluster both name the destination; use one of them"},
		{len(f.clusters) > 0 && f.server+f.cluster != "", "--clusters says where to deploy to; remove --server and --cluster beside it"},
		{!f.appset && len(f.clusters) > 0, "--clusters needs --appset"},
		{!f.appset && len(f.rolling) > 0, "--rolling needs --appset"},
		{f.overlays != "" && len(f.clusters) == 0, "--cluster-overlays needs --clusters"},
		{f.maxUpdate != "" && len(f.rolling) == 0, "--max-update needs --rolling"},
		{f.appset && len(f.vms) > 0, "--vm selects from one Application; remove --appset beside it"},
		{f.maxUpdate != "" && !maxUpdateForm.MatchString(f.maxUpdate), fmt.Sprintf("--max-update %q; expected a number from 1, or a percentage from 1%% to 100%%", f.maxUpdate)},
		{f.name != "" && !argocd.IsAppName(f.name), fmt.Sprintf("--name %q: not a name; %s", f.name, appNameRule)},
		{!argocd.IsAppName(f.project), fmt.Sprintf("--project %q: not a name; %s", f.project, appNameRule)},
		{f.namespace != "" && !argocd.IsNamespace(f.namespace), fmt.Sprintf("--namespace %q: %s", f.namespace, namespaceRule)},
		{f.argocd != "" && !argocd.IsNamespace(f.argocd), fmt.Sprintf("--argocd-namespace %q: %s", f.argocd, namespaceRule)},
		{f.server != "" && !argocd.IsServerURL(f.server), "--server is not the URL of an API server, or one with credentials, which Argo CD keeps in a Secret; expected https://HOST:PORT"},
		{repeated(f.rolling) != "", fmt.Sprintf("--rolling %q: given twice; expected each step once", repeated(f.rolling))},
	} {
		if rule.broken {
			return errors.New(rule.problem)
		}
	}
	if _, err := f.steps(); err != nil {
		return err
	}
	return errors.Join(checkLabels("--clusters", f.clusters), checkIgnored(f.ignore))
}

const appNameRule = "expected at most 63 lower case letters, digits, dashes and dots, with a letter or digit at both ends"

const namespaceRule = "not a namespace; expected at most 63 lower case letters, digits and dashes, with a letter or digit at both ends"

// repeated is the first that comes a second time; "" without one.
func repeated(names []string) string {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

var labelForm = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?=([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)

func checkLabels(flag string, labels []string) error {
	for _, label := range labels {
		if !labelForm.MatchString(label) {
			return fmt.Errorf("%s %q: not a label; expected key=value", flag, label)
		}
	}
	return nil
}

// steps reads --rolling; nil without it.
func (f *appFlags) steps() (*argocd.Rolling, error) {
	if len(f.rolling) == 0 {
		return nil, nil
	}
	r := &argocd.Rolling{Steps: f.rolling}
	if f.maxUpdate != "" {
		r.MaxUpdate = f.maxUpdate
		if n, err := strconv.Atoi(f.maxUpdate); err == nil {
			r.MaxUpdate = n
		}
	}
	if !strings.Contains(strings.Join(f.rolling, ""), "=") {
		return r, nil
	}
	if err := checkLabels("--rolling", f.rolling); err != nil {
		return nil, err
	}
	return r, f.byLabel(r)
}

// byLabel makes steps of one label's values.
func (f *appFlags) byLabel(r *argocd.Rolling) error {
	if len(f.clusters) == 0 {
		return errors.New("--rolling by a label of clusters needs --clusters")
	}
	r.Steps = nil
	for _, step := range f.rolling {
		key, value, _ := strings.Cut(step, "=")
		r.Steps = append(r.Steps, value)
		if r.ClusterLabel = cmp.Or(r.ClusterLabel, key); key != r.ClusterLabel {
			return fmt.Errorf("--rolling has the labels %q and %q; expected steps by one label", r.ClusterLabel, key)
		}
	}
	return nil
}

func (f *appFlags) run(cmd *cobra.Command, path string) error {
	if path == "-" {
		return errors.New("standard input has no place in a repository; expected a directory")
	}
	if file, ok := platformFile(path); ok {
		return fmt.Errorf("%s: a platform; `vmrender template` prints its Applications", file)
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: a file; an Application renders a directory, and --vm selects from it", path)
	}
	loaded, diags, err := f.load(cmd, path)
	if err != nil {
		return err
	}
	if err := complain(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	object, err := f.object(cmd, loaded, path)
	if err != nil {
		return err
	}
	return printObject(cmd.OutOrStdout(), object)
}

// object is what is printed: an Application, or an ApplicationSet.
func (f *appFlags) object(cmd *cobra.Command, loaded *machine.Fleet, path string) (any, error) {
	repo, err := findRepository(path)
	if err != nil {
		return nil, err
	}
	if !f.appset {
		tellOf(cmd, loaded)
		o, err := f.order(cmd, loaded, repo, path, []string{path})
		return o.App(), err
	}
	dirs, err := directories(loaded, path)
	if err != nil {
		return nil, err
	}
	if err := f.checkAlone(cmd, dirs); err != nil {
		return nil, err
	}
	o, err := f.order(cmd, loaded, repo, path, dirs)
	if err != nil {
		return nil, err
	}
	s, err := f.spread(loaded, repo, o, dirs)
	return o.AppSet(s), err
}

// checkAlone wants every directory to be right without the others: waves, and the
// overlays of VMs, end with an Application.
func (f *appFlags) checkAlone(cmd *cobra.Command, dirs []string) error {
	for _, dir := range dirs {
		_, diags, err := f.load(cmd, dir)
		if err != nil {
			return err
		}
		if diags.HasErrors() {
			err := complain(cmd.ErrOrStderr(), diags)
			cmd.PrintErrf("note: this is so for %s alone, as an Application of its own renders it\n", dir)
			return err
		}
	}
	return nil
}

// load reads and renders the fleet or directory at path, with each of the
// clusters' overlays where there are some, and returns what is wrong. The
// machines are those of all clusters together.
func (f *appFlags) load(cmd *cobra.Command, path string) (*machine.Fleet, *source.Diagnostics, error) {
	files, err := overlaysIn(f.overlays)
	if err != nil {
		return nil, nil, err
	}
	all, loaded := new(source.Diagnostics), new(machine.Fleet)
	var machines []*machine.Machine
	for _, file := range files {
		opts := f.options(cmd, f.vms)
		if file != "" {
			opts.Overlays = append(opts.Overlays, file)
		}
		one, diags := renderMachines(path, opts)
		loaded, machines = one, append(machines, one.Machines...)
		all.Merge(diags)
	}
	loaded.Machines = machines
	return loaded, unique(all), nil
}

// unique leaves out what several loads of a fleet report alike.
func unique(diags *source.Diagnostics) *source.Diagnostics {
	once, seen := new(source.Diagnostics), map[string]bool{}
	for _, d := range diags.Sorted() {
		if text := d.String(); !seen[text] {
			seen[text] = true
			once.Add(d)
		}
	}
	return once
}

// renderMachines is renderFleet for those who want the machines, too.
func renderMachines(path string, opts fleet.Options) (*machine.Fleet, *source.Diagnostics) {
	var mu sync.Mutex
	var machines []*machine.Machine
	c := render.NewCollector()
	f, diags := machine.Visit(path, opts, func(m *machine.Machine, d *source.Diagnostics) {
		c.Visit(m, d)
		mu.Lock()
		defer mu.Unlock()
		machines = append(machines, m)
	})
	f.Machines = machines
	return f, diags
}

func printObject(stdout io.Writer, object any) error {
	w := manifest.NewWriter(stdout, manifest.YAML)
	if err := w.Encode(object); err != nil {
		return writing(err)
	}
	return writing(w.Close())
}
