package adopt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Leaving is a VM that leaves its fleet, and stays in the cluster.
type Leaving struct {
	Name    string            // NAMESPACE/NAME
	Entry   string            // of the values files: the name of the VM, or that of its replicas
	Where   string            // the entry is, as FILE:LINE
	Objects []manifest.Object // what is rendered for it
}

// Step is one step of a way out, in its order.
type Step struct {
	Text  string   // a sentence or two, which ends in a colon if there are lines
	Lines []string // shell commands, or places in values files
}

// Release returns the steps by which VMs leave their fleet: they, their disks, Secrets
// and Services stay, and nothing restarts. Nothing is changed but by the user who takes the
// steps. Argo CD deletes what is gone from Git unless the object in the cluster specifies
// Prune=false, so that comes first; what an Application tracks counts as its own until
// the marks are off (argo-cd v3.2.11, controller/state.go and controller/sync.go). Plan is
// the command that compares the last commit with the files.
func Release(fleet []Leaving, plan string) ([]Step, error) {
	all := leaving{plan: plan}
	errs := make([]error, 0, len(fleet))
	for i := range fleet {
		errs = append(errs, all.add(&fleet[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	isNeedless := func(s Step) bool { return strings.HasSuffix(s.Text, ":") && len(s.Lines) == 0 }
	return slices.DeleteFunc(all.steps(), isNeedless), nil
}

// steps returns all steps; those that end in a colon and have no lines are not needed.
func (l *leaving) steps() []Step {
	marks := slices.Concat(
		l.commands("annotate", l.staying, l.keys("annotations", argocd.TrackingAnnotation)...),
		l.commands("label", l.staying, l.keys("labels", labels.ManagedBy, argocd.InstanceLabel)...))
	return []Step{
		{"Commit that Argo CD keeps these VMs, and wait until that is synced:", l.unprotected},
		{
			"Keep the objects that no key keeps. The annotation is not in Git, so Argo CD leaves it in the cluster:",
			l.commands("annotate", l.loose, argocd.SyncOptionsAnnotation+"=Prune=false"),
		},
		{"Check the cluster, and continue when every line contains Prune=false:", l.check()},
		{
			"Remove these entries from the files. Check the plan before the commit: the VMs are left, " +
				"and only their Jobs are deleted. Wait until the commit is synced:",
			append(slices.Compact(l.entries), l.plan),
		},
		{"The Application shows them as requiring pruning. Remove its labels and annotations, and those of vmrender:", marks},
		{"Refresh the Application: it is Synced, and nothing manages the VMs any longer. The label " +
			"kubevirt.io/vm-delete-protection still protects the VMs that have it, and kept disks keep their sync " +
			"options.", nil},
	}
}

// leaving is all that leaves a fleet.
type leaving struct {
	plan        string
	unprotected []string // lines with what the values files need
	entries     []string // lines with where the entries are
	staying     []manifest.Object
	loose       []manifest.Object // of these, what Argo CD would delete, and no key keeps
}

// gone are the kinds of objects that end with the place of a VM in its fleet.
var gone = []string{"Job", "AnsibleJob"}

func (l *leaving) add(m *Leaving) error {
	entry := fmt.Sprintf("%s: %s", m.Where, m.Entry)
	l.entries = append(l.entries, entry)
	for _, o := range m.Objects {
		t := o.Tree()
		if slices.Contains(gone, o.Kind) || manifest.Text(t, "metadata", "annotations", argocd.HookAnnotation) != "" {
			continue
		}
		if why := remade(t); why != "" {
			return fmt.Errorf("%s: %s", m.Name, why)
		}
		l.stays(o, isKept(t), entry+": {lifecycle: {removal: denied}}")
	}
	return nil
}

// remade explains why a VM cannot be released as it is: the commit that keeps it would
// recreate it.
func remade(t tree) string {
	switch {
	case manifest.Text(t, "metadata", "annotations", labels.Strategy) == labels.BlueGreen:
		return "under `strategy: blue-green` every change creates another VM, and the old one is deleted; " +
			"set another strategy, which creates it once more, and release that VM"
	case option(t, "Replace") == "true" && !isKept(t):
		return "under `strategy: replace` every change recreates it with its disks, also a change that keeps it; " +
			"commit `removal: denied`, and release it when that is synced"
	}
	return ""
}

// stays adds an object that stays. Key is what keeps its VM in Git.
func (l *leaving) stays(o manifest.Object, isKept bool, key string) {
	l.staying = append(l.staying, o)
	switch {
	case isKept, o.Kind == "Secret": // its options are those of its VM
	case !strings.HasPrefix(o.Kind, "VirtualMachine"):
		l.loose = append(l.loose, o)
	case !slices.Contains(l.unprotected, key): // for several replicas
		l.unprotected = append(l.unprotected, key)
	}
}

// isKept reports whether Argo CD leaves an object that is gone from Git.
func isKept(t tree) bool { return option(t, "Prune") == "false" }

// option returns the value of a sync option of an object, or "".
func option(t tree, name string) string {
	return argocd.FindSyncOption(manifest.Text(t, "metadata", "annotations", argocd.SyncOptionsAnnotation), name).Value
}

// commands returns the kubectl commands that do something with objects, one for each
// namespace.
func (l *leaving) commands(verb string, objects []manifest.Object, args ...string) []string {
	names := map[string][]string{}
	for _, o := range objects {
		names[o.Namespace] = append(names[o.Namespace], strings.ToLower(o.Kind)+"/"+o.Name)
	}
	out := make([]string, 0, len(names))
	for _, namespace := range slices.Sorted(maps.Keys(names)) {
		words := slices.Concat([]string{"kubectl", verb, "--namespace", namespace}, names[namespace], args)
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// check returns the commands that show the sync options in the cluster.
func (l *leaving) check() []string {
	return l.commands("get", l.staying, "--output", "custom-columns="+
		`'KIND:.kind,NAME:.metadata.name,OPTIONS:.metadata.annotations.argocd\.argoproj\.io/sync-options'`)
}

// keys returns the keys to take off: those of vmrender that any object has, and others.
func (l *leaving) keys(kind string, others ...string) []string {
	keys := map[string]bool{}
	for _, o := range l.staying {
		for key := range manifest.Map(o.Tree(), "metadata", kind) {
			if labels.IsReserved(key) {
				keys[key] = true
			}
		}
	}
	for _, key := range others {
		keys[key] = true
	}
	out := slices.Sorted(maps.Keys(keys))
	for i := range out {
		out[i] += "-"
	}
	return out
}
