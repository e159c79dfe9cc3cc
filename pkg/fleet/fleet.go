// Package fleet reads a tree of values files and lets its levels inherit: what
// comes out are entries, one for each VM as it is written, whose values know
// where they stand and on which level. It does not know what a key does.
package fleet

import (
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Options are what a command sets in addition to the values files. The zero value is useful.
type Options struct {
	// Namespace of VMs that have none.
	Namespace string
	// Set are vars, as "key=value" with dotted keys. They override those of all files.
	Set []string
	// Defaults are VM keys, as "key=value" with dotted keys and values as in a
	// file. They override the defaults of all files, and the VM overrides them.
	Defaults []string
	// KubeVirt is the version that the cluster has, such as "1.6", if the fleet's
	// target does not set one; empty if it is not known.
	KubeVirt string
	// Overlays are files that merge over the fleet, in order.
	Overlays []string
	// VMs selects by name or namespace/name; empty selects all.
	VMs []string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Limit is a directory above which no fleet.yaml is searched for. Defaults to the repository's root.
	Limit string
	// Jobs is how many files are read at a time. Defaults to what Workers returns.
	Jobs int
	// Workers, if set, is called from time to time with the number of VMs found so
	// far, and returns how many files to read at a time, at least 1. Defaults to the
	// number of CPUs.
	Workers func(vms int) int
}

// Fleet is a fleet, or the part of one that a path names, with all that its VMs
// have in common.
type Fleet struct {
	Options
	Root     string        // directory of fleet.yaml; empty for standard input
	Header   values.Header // fleet.yaml with the overlays merged over it
	Catalog  *catalog.Set  // the built-in entries with the fleet's own; nil if there is no fleet
	Platform *Platform     // of the platform.yaml next to fleet.yaml; nil if there is none
	// Vars are those of [Options.Set], which override the vars of every VM; nil without any.
	Vars *source.Node

	tree     *tree        // nil for standard input
	doc      *source.Node // fleet.yaml
	header   *source.Node // fleet.yaml with the overlays merged over it
	top      *Level       // that of fleet.yaml and the overlays
	given    given
	overlays []*source.Node // `vms` of the overlays, in order
	bases    sync.Map       // *catalog.ResolvedOS → *source.Node: the lowest level

	pool  *pool
	mu    sync.Mutex // guards what follows
	diags *source.Diagnostics
	names []string        // of the entries that were found
	used  map[string]bool // the overlays' VMs that were found
}

// Visitor receives an entry as soon as it is read, together with the problems
// found in it so far, to which it may add. It is called from several
// goroutines, in no order.
type Visitor func(e *Entry, diags *source.Diagnostics)

// Open finds the fleet, directory or file at path ("-" for one VM file on
// standard input), and reads what all its VMs have in common. Problems go to
// diags, now and in [Fleet.Each].
func Open(path string, opts Options, diags *source.Diagnostics) *Fleet {
	f := &Fleet{Options: opts, diags: diags, used: map[string]bool{}}
	f.Vars = parseSets(opts.Set, diags)
	if path == "-" {
		f.openStdin()
	} else {
		f.openTree(path)
	}
	return f
}

// openStdin prepares for a file without a fleet around it.
func (f *Fleet) openStdin() {
	if f.Stdin == nil {
		f.fail(stdinName, rule.Unreadable, "there is no standard input")
		return
	}
	f.Catalog = catalog.New(nil, f.diags)
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
	f.Platform = readPlatform(t.root)
	f.readHeader()
	f.openGiven()
}

// Each reads the VMs, calls visit for each, and returns when all are visited.
func (f *Fleet) Each(visit Visitor) {
	if f.Catalog == nil {
		return // there is no fleet, which is reported
	}
	f.pool = newPool(f.Jobs, f.Workers)
	r := reader{Fleet: f, visit: visit}
	if f.tree == nil {
		r.readStdin()
	} else {
		r.readTree()
	}
	f.pool.close()
	f.checkOverlaid()
}

// Parallel splits so many VMs into parts, and calls do for each part, on as many
// goroutines as the fleet is read with.
func (f *Fleet) Parallel(vms int, do func(start, end int)) {
	p := newPool(f.Jobs, f.Workers)
	for start := 0; start < vms; start += chunk {
		end := min(start+chunk, vms)
		p.do(end-start, func() { do(start, end) })
	}
	p.close()
}

// Part is the path of what is read below the root, "." for all of it; "-" for standard input.
func (f *Fleet) Part() string {
	if f.tree == nil {
		return "-"
	}
	return filepath.ToSlash(below(f.tree.root, f.tree.part))
}

// PartPos is the place of what is read: a file, a directory, or fleet.yaml for the whole fleet.
func (f *Fleet) PartPos() source.Pos {
	switch {
	case f.tree == nil:
		return source.Pos{File: stdinName}
	case f.tree.part == f.tree.root:
		return source.Pos{File: f.tree.header}
	}
	return source.Pos{File: f.tree.part}
}

// HeaderPos returns where a key of fleet.yaml stands, or the nearest above it;
// otherwise if there is no such file.
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

// HeaderKey returns the value of a key of fleet.yaml and the overlays as written, or nil.
func (f *Fleet) HeaderKey(keys ...string) *source.Node { return f.header.Get(keys...) }

// Incomplete reports whether there were problems that keep VMs from being read:
// what seems to be missing may be among them.
func (f *Fleet) Incomplete() bool { return f.diags.HasRule(unreadRules...) }

// unreadRules are those of errors that keep VMs from being read.
var unreadRules = []rule.ID{
	rule.YAMLSyntax, rule.Encoding, rule.FileSize, rule.Unreadable, rule.BadPath, rule.DuplicateKey, rule.KeyType, rule.Anchor, rule.Expansion, rule.Depth, rule.Tag,
}

// fail reports a problem of a file as a whole.
func (f *Fleet) fail(path string, id rule.ID, problem string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.diags.Errorf(source.Pos{File: path}, id, "", "%s", problem)
}

// report adds what one task found.
func (f *Fleet) report(diags *source.Diagnostics) {
	if diags.Len() == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.diags.Merge(diags)
}

// checkOverlaid reports VMs of overlays that the fleet does not have.
func (f *Fleet) checkOverlaid() {
	for _, vms := range f.overlays {
		for i := range vms.Fields {
			vm := &vms.Fields[i]
			if !f.used[vm.Key] && !f.Incomplete() {
				slices.Sort(f.names)
				f.diags.Errorf(vm.Pos(), rule.UnknownName, source.JoinPath("vms", vm.Key), "unknown VM %q; %s",
					vm.Key, source.DidYouMean(vm.Key, f.names))
			}
		}
	}
}
