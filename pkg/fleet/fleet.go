// Package fleet reads a tree of values files and applies inheritance. The
// result is one [Entry] for each VM in a file, whose values include their
// positions and levels. The effects of keys are implemented in other packages.
package fleet

import (
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Options are the settings of a command in addition to the values files. The
// zero value is valid.
type Options struct {
	// Application is the name of the Argo CD Application that the VMs are rendered for, or empty. Jobs of
	// different Applications have different names.
	Application string
	// Namespace is the namespace of VMs that do not set one.
	Namespace string
	// Set contains vars, as "key=value" with dotted keys. They override those of all files.
	Set []string
	// Defaults contains VM keys, as "key=value" with dotted keys and values as in a file. They override the
	// defaults of all files, and the VM overrides them.
	Defaults []string
	// KubeVirt is the version in the cluster, such as "1.6", or empty if it is unknown. It applies if the
	// fleet's target does not set a version.
	KubeVirt string
	// Target contains versions that take the place of those in the fleet's target, by its keys: "kubevirt", "cdi",
	// "argocd" and "openshift", of which the last is a release such as "4.20". Other keys are ignored.
	Target map[string]string
	// Image is the image of the Jobs that run vmrender, or empty. It applies if the fleet's target does not set one.
	Image string
	// NoOpenShift is true if the cluster is known not to be OpenShift. It changes nothing that is rendered.
	NoOpenShift bool
	// Overlays are files to merge over the fleet, in order.
	Overlays []string
	// VMs selects VMs by name or namespace/name. If empty, all VMs are selected.
	VMs []string
	// MostVMs is the number of VMs that are accepted, 0 if there is no bound. Replicas that take longer to render, such as
	// those with overrides or patches, count several times.
	MostVMs int
	// Unheld is true if VMs are rendered as if none of them were held, with the digests of their changes.
	Unheld bool
	// Alone is true if the selected VMs are only looked at: they do not have to be selected with those that they are
	// rendered with.
	Alone bool
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Instead is the text of a file of VMs that is read in the place of all files of the fleet except fleet.yaml and the
	// overlays, or nil. Values of overlays for VMs that it does not have are no errors.
	Instead []byte
	// Limit is the topmost directory in which to search for fleet.yaml. Defaults to the root of the repository.
	Limit string
	// Jobs is the number of files to read at the same time. Defaults to the result of Workers.
	Jobs int
	// Workers, if set, is called repeatedly with the number of VMs found so far, and returns the number of
	// files to read at the same time, at least 1. Defaults to the number of CPUs.
	Workers func(vms int) int
	// Rest, if set, is called by each of these goroutines between two tasks.
	Rest func()
	// Full, if set, is called before every VM, and ends the reading as soon as it returns true. VMs that seem to
	// be missing may then be among those that were not read.
	Full func() bool
}

// Ended reports whether the reading has ended before the last VM because of [Options.Full].
func (o *Options) Ended() bool { return o.Full != nil && o.Full() }

// Fleet is a fleet, or the part of one at a path, with the settings that all
// its VMs have in common.
type Fleet struct {
	Options
	Root   string        // directory of fleet.yaml; empty for standard input
	Header values.Header // fleet.yaml with the overlays merged over it
	// Environment is the name that the last overlay with one gives to the environment, or empty.
	Environment string
	Catalog     *catalog.Set // built-in entries and those of the fleet; nil if there is no fleet
	Platform    *Platform    // platform.yaml next to fleet.yaml; nil if there is none
	// Vars are those of [Options.Set], which override the vars of every VM; nil if there are none.
	Vars *source.Node

	tree     *tree        // nil for standard input
	doc      *source.Node // fleet.yaml
	header   *source.Node // fleet.yaml with the overlays merged over it
	top      *Level       // level of fleet.yaml and the overlays
	given    given
	overlays []overlay // in order
	moves    sync.Map  // namespace of the files → *Level with that of the environment, or nil for the same
	bases    sync.Map  // *catalog.ResolvedOS → *source.Node: the lowest level

	pool  *pool
	mu    sync.Mutex // guards the fields below
	diags *source.Diagnostics
	homes map[string][]string   // namespaces in the files of all entries found, by name; nil without overlays
	unmet unmet                 // values of overlays that no entry has so far
	held  map[string]*held.File // by NAMESPACE/NAME
}

// Visitor receives an entry as soon as it is read, with the problems found in
// it so far. It can add others. It is called from several goroutines, in no
// particular order.
type Visitor func(e *Entry, diags *source.Diagnostics)

// Open finds the fleet, directory or file at path ("-" for one VM file on
// standard input), and reads the settings that its VMs have in common.
// Problems are added to diags, also in [Fleet.Each].
func Open(path string, opts Options, diags *source.Diagnostics) *Fleet {
	f := &Fleet{Options: opts, diags: diags}
	f.Vars = source.ParseOptions(opts.Set, diags)
	if path == "-" {
		f.openStdin()
	} else {
		f.openTree(path)
	}
	return f
}

// openStdin prepares for reading a file without a fleet.
func (f *Fleet) openStdin() {
	if f.Stdin == nil {
		f.fail(StdinName, rule.Unreadable, "there is no standard input")
		return
	}
	f.completeTarget()
	f.openCatalog(nil)
	f.openGiven()
}

func (f *Fleet) openTree(path string) {
	t, err := findTree(path, f.Limit)
	if err != nil {
		f.diags.Errorf(source.Pos{}, rule.NoFleet, "", "%s", err)
		return
	}
	f.Root = t.root
	if file, problem := t.outside(); problem != "" {
		f.fail(file, rule.BadPath, problem)
		return
	}
	f.tree = t
	f.Platform = f.readPlatform()
	f.readHeader()
	f.readHeld()
	f.openGiven()
}

// Each reads the VMs, calls visit for each, and returns when all are visited.
func (f *Fleet) Each(visit Visitor) {
	if f.Catalog == nil {
		return // there is no fleet, which was reported
	}
	f.pool = newPool(f.Jobs, f.Workers, f.Rest)
	r := reader{Fleet: f, visit: visit}
	switch {
	case f.Instead != nil:
		r.readText(f.Instead, f.top)
		f.pool.close()
		return
	case f.tree == nil:
		r.readStdin()
	default:
		r.readTree()
	}
	f.pool.close()
	f.checkOverlaid()
	f.reportUnmet()
}

// Parallel divides the given number of VMs into parts, and calls do for each
// part, on as many goroutines as are used to read the fleet.
func (f *Fleet) Parallel(vms int, do func(start, end int)) {
	p := newPool(f.Jobs, f.Workers, f.Rest)
	for start := 0; start < vms; start += chunk {
		end := min(start+chunk, vms)
		p.do(end-start, func() { do(start, end) })
	}
	p.close()
}

// Part returns the path of what is read, relative to the root: "." for the
// whole fleet, and "-" for standard input.
func (f *Fleet) Part() string {
	if f.tree == nil {
		return "-"
	}
	return filepath.ToSlash(below(f.tree.root, f.tree.part))
}

// isWhole reports whether all of the fleet is read.
func (f *Fleet) isWhole() bool { return f.tree != nil && f.tree.part == f.tree.root }

// PartPos returns the position of what is read: a file, a directory, or
// fleet.yaml for the whole fleet.
func (f *Fleet) PartPos() source.Pos {
	switch {
	case f.tree == nil:
		return source.Pos{File: StdinName}
	case f.isWhole():
		return source.Pos{File: f.tree.header}
	}
	return source.Pos{File: f.tree.part}
}

// HeaderPos returns the position of a key in fleet.yaml, or of the nearest key
// above it. It returns otherwise if there is no fleet.yaml.
func (f *Fleet) HeaderPos(otherwise source.Pos, keys ...string) source.Pos {
	if f.doc == nil {
		return otherwise
	}
	at, n := f.doc.Pos(), f.doc
	for _, k := range keys {
		field := n.Field(k)
		if field == nil {
			break
		}
		at, n = field.Pos(), field.Value
		if len(n.Fields) == 0 {
			at = n.Pos()
		}
	}
	return at
}

// HeaderKey returns the value of a key of fleet.yaml and the overlays as
// written, or nil if it is unset.
func (f *Fleet) HeaderKey(keys ...string) *source.Node { return f.header.Get(keys...) }

// HasDefault reports whether all VMs inherit a key of VMs from fleet.yaml or an overlay, such as {"cloudInit", "user"}.
func (f *Fleet) HasDefault(key ...string) bool {
	for l := f.top; l != nil; l = l.Parent {
		if l.Keys.Get(key...).IsSet() {
			return true
		}
	}
	return slices.ContainsFunc(f.overlays, func(o overlay) bool {
		return o.every != nil && o.every.Keys.Get(key...).IsSet()
	})
}

// Incomplete reports whether problems prevented VMs from being read: a VM that
// seems to be missing may be among them.
func (f *Fleet) Incomplete() bool { return f.Ended() || f.diags.HasRule(unreadRules...) }

// unreadRules are the rules of errors that prevent VMs from being read.
var unreadRules = []rule.ID{
	rule.YAMLSyntax, rule.Encoding, rule.FileSize, rule.Unreadable, rule.BadPath, rule.DuplicateKey, rule.KeyType,
	rule.Anchor, rule.Expansion, rule.Depth, rule.Tag,
}

// fail reports a problem with a whole file.
func (f *Fleet) fail(path string, id rule.ID, problem string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.diags.Errorf(source.Pos{File: path}, id, "", "%s", problem)
}

// report adds the diagnostics of one task.
func (f *Fleet) report(diags *source.Diagnostics) {
	if diags.Len() == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.diags.Merge(diags)
}
