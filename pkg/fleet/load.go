package fleet

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// Options are what a command says beside the values files. The zero value is useful.
type Options struct {
	// Namespace of VMs that have none.
	Namespace string
	// Set gives vars, as "key=value" with dotted keys; they win over those of all files.
	Set []string
	// Defaults give VM keys, as "key=value" with dotted keys and values as in a
	// file: they win over the defaults of all files, and the VM over them.
	Defaults []string
	// KubeVirt is the version that the cluster has, such as "1.6", where the
	// fleet's target does not say; empty where it is not known.
	KubeVirt string
	// Overlays are files that merge over the fleet, in order.
	Overlays []string
	// VMs selects by name or namespace/name; all where empty.
	VMs []string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Limit is a directory above which no fleet.yaml is looked for; the repository's root where empty.
	Limit string
	// Jobs is how many files are read at a time; what Workers says where 0.
	Jobs int
	// Workers, where set, is told how many VMs were found so far, now and then,
	// and says how many files to read at a time, at least 1; the number of CPUs
	// where it is nil.
	Workers func(vms int) int
}

// Fleet is a fleet, or the part of one that a path names, resolved.
type Fleet struct {
	Name       string
	Root       string // directory of fleet.yaml; empty for standard input
	Target     Target
	AllowEmpty bool
	// Catalog is the built-in catalogue with the fleet's own entries.
	Catalog *catalog.Set
	// Machines are sorted by wave, namespace and name. Visit leaves them out.
	Machines []*Machine
}

// Load reads the fleet, directory or file at path ("-" for one VM file on
// standard input), with the levels above it, and resolves its VMs. It reports
// every problem it finds; the fleet must only be used when there are no errors.
func Load(path string, opts Options) (*Fleet, *source.Diagnostics) {
	var mu sync.Mutex
	var machines []*Machine
	f, diags := Visit(path, opts, func(m *Machine, _ *source.Diagnostics) {
		if m.Broken {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		machines = append(machines, m)
	})
	f.Machines = machines
	slices.SortFunc(f.Machines, inOutputOrder)
	return f, diags
}

// Visit is Load for those who need each machine only once: it keeps none, and
// calls visit for every machine as soon as it is decided, or found to be broken.
func Visit(path string, opts Options, visit Visitor) (*Fleet, *source.Diagnostics) {
	l := newLoader(opts)
	l.visit = visit
	return l.load(path), &l.diags
}

func (l *loader) load(path string) *Fleet {
	if path == "-" {
		l.loadStdin()
	} else {
		l.loadTree(path)
	}
	return l.finish()
}

// loader is the state of one Load.
type loader struct {
	opts      Options
	tree      *tree
	header    Header
	headerDoc *source.Node // fleet.yaml; nil for standard input
	part      string
	platform  *platform // beside the fleet; nil where there is none
	set       *catalog.Set
	sets      *source.Node    // vars of Options.Set
	given     given           // VM keys of Options.Defaults
	headerVMs *source.Field   // `vms` of fleet.yaml
	overlays  []*source.Node  // `vms` of the overlays, in order
	used      map[string]bool // the overlays' VMs that were found
	identity  identity
	texts     templates
	varsOf    sync.Map // tree of vars → Go values
	fleetOnce sync.Once
	fleetMap  map[string]any

	visit Visitor // nil visits nothing
	// inspect, where set, sees every VM with its levels.
	inspect func(entry string, s *subject, top *level)

	pool  *pool
	mu    sync.Mutex // guards what follows
	diags source.Diagnostics
	found []*record
}

func newLoader(opts Options) *loader {
	l := &loader{opts: opts, used: map[string]bool{}, pool: newPool(opts.Jobs, opts.Workers)}
	l.sets = parseSets(opts.Set, &l.diags)
	return l
}

// fail reports a problem of a file as a whole.
func (l *loader) fail(path, rule, problem string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.diags.Errorf(source.Pos{File: path}, rule, "", "%s", problem)
}

// keep takes over what one task found.
func (l *loader) keep(records []*record, diags *source.Diagnostics) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = append(l.found, records...)
	if diags != nil {
		l.diags.Merge(diags)
	}
}

// parseFile reads one file into its documents.
func parseFile(path string, diags *source.Diagnostics) []*source.Node {
	data, err := readFile(path)
	if err != nil {
		diags.Errorf(source.Pos{File: path}, "unreadable", "", "%s", reason(err))
		return nil
	}
	return source.Parse(&source.File{Name: path, Data: data}, diags)
}

// buffers are what files are read into: most are far smaller.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func readFile(path string) ([]byte, error) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	n, err := slurp(path, buf[:])
	if err != nil {
		return nil, err
	}
	if n < len(buf) {
		return bytes.Clone(buf[:n]), nil
	}
	return readLarge(path)
}

// errTooLarge stands for a file that is not read to its end.
var errTooLarge = errors.New("file is too large; a values file holds at most 32 MiB")

func readLarge(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	data, err := io.ReadAll(io.LimitReader(f, source.MaxFileSize+1))
	if len(data) > source.MaxFileSize {
		return nil, errTooLarge
	}
	return data, err
}

func (l *loader) loadTree(path string) {
	t, err := findTree(path, l.opts.Limit)
	if err != nil {
		l.diags.Errorf(source.Pos{}, "no-fleet", "", "%s", err)
		return
	}
	l.tree = t
	if file, problem := t.outside(); problem != "" {
		l.fail(file, "bad-path", problem)
		return
	}
	l.platform = readPlatform(t.root)
	top := l.loadHeader()
	l.newGiven()
	l.part = l.partName()
	dirs := l.loadDirs(top)
	if t.part == t.root || t.part == t.header {
		l.loadEntries(l.headerVMs, top, &l.diags)
	}
	var batch []valuesFile
	t.walk(l.header.Ignore, func(file string, levels []string) {
		if batch = append(batch, valuesFile{file, dirs.at(levels)}); len(batch) == batchSize {
			l.loadFiles(batch)
			batch = nil
		}
	}, func(file, problem string) { l.fail(file, "bad-path", problem) })
	l.loadFiles(batch)
}

// batchSize is how many files are one task: handing over a small file alone
// costs as much as a part of reading it.
const batchSize = 16

// valuesFile is a file with VMs, and the level that they start from.
type valuesFile struct {
	path  string
	below *level
}

func (l *loader) loadFiles(files []valuesFile) {
	if len(files) == 0 {
		return
	}
	l.pool.do(len(files), func() {
		for _, f := range files {
			l.loadFile(f.path, f.below)
		}
	})
}

// stdinName stands for standard input where a file would be named.
const stdinName = "<stdin>"

func (l *loader) loadStdin() {
	if l.opts.Stdin == nil {
		l.diags.Errorf(source.Pos{File: stdinName}, "unreadable", "", "there is no standard input")
		return
	}
	data, err := io.ReadAll(io.LimitReader(l.opts.Stdin, source.MaxFileSize+1))
	if err != nil {
		l.diags.Errorf(source.Pos{File: stdinName}, "unreadable", "", "%s", err)
		return
	}
	l.set = catalog.New(nil, &l.diags)
	l.newGiven()
	l.part = l.partName()
	docs := source.Parse(&source.File{Name: stdinName, Data: data}, &l.diags)
	l.loadDocs(stdinName, docs, nil, &l.diags)
}

// finish waits for all files, checks what needs to see all VMs, and visits
// those that had to wait for that.
func (l *loader) finish() *Fleet {
	l.pool.drain()
	f := &Fleet{Name: l.header.Metadata.Name, Target: l.header.Target, AllowEmpty: l.header.AllowEmpty, Catalog: l.set}
	if l.tree != nil {
		f.Root = l.tree.root
	}
	l.checkOverlaid()
	l.checkEmpty()
	check(l.found, &l.diags)
	l.checkHooks()
	l.visitWaiting(l.found)
	l.pool.close()
	l.checkSelection()
	return f
}

// checkEmpty refuses a fleet without VMs: empty output makes Argo CD prune
// every machine that it manages.
func (l *loader) checkEmpty() {
	if len(l.found) == 0 && !l.header.AllowEmpty && !l.diags.HasErrors() {
		part := stdinName
		if l.tree != nil {
			part = l.tree.part
		}
		if l.tree != nil && part == l.tree.root {
			part = l.tree.header
		}
		l.diags.Errorf(source.Pos{File: part}, "no-vms", "", "no VMs; a fleet that is meant to be empty says `allowEmpty: true` in %s", headerName)
	}
}

func inOutputOrder(a, b *Machine) int {
	return cmp.Or(cmp.Compare(a.Wave, b.Wave), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// wanted applies the option VMs: names of machines, or of the VM that a
// machine is a replica of, with or without the namespace.
func (l *loader) wanted(m *Machine) bool {
	return len(l.opts.VMs) == 0 || l.wants(&record{machineKey: machineKey{m.Namespace, m.Name}, group: m.group})
}

func (l *loader) wants(r *record) bool {
	return len(l.opts.VMs) == 0 || slices.ContainsFunc(l.opts.VMs, r.named)
}

func (r *record) named(name string) bool {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		return r.namespace == ns && (r.name == rest || r.group == rest)
	}
	return r.name == name || r.group == name
}

// checkSelection reports options that name no VM.
func (l *loader) checkSelection() {
	for _, want := range l.opts.VMs {
		if !slices.ContainsFunc(l.found, func(r *record) bool { return r.named(want) }) {
			l.diags.Errorf(source.Pos{File: "--vm"}, "unknown-name", "", "unknown VM %q; %s", want, source.DidYouMean(want, l.names()))
		}
	}
}

func (l *loader) names() []string {
	names := make([]string, 0, len(l.found))
	for _, r := range l.found {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// dirLevels are the levels of directories, read once each.
type dirLevels struct {
	loader *loader
	byDir  map[string]*level
	top    *level
}

func (l *loader) loadDirs(top *level) *dirLevels {
	return &dirLevels{loader: l, byDir: map[string]*level{}, top: top}
}

// at gives the level of the innermost of a chain of directories.
func (d *dirLevels) at(dirs []string) *level {
	below := d.top
	for _, dir := range dirs {
		lv, ok := d.byDir[dir]
		if !ok {
			lv = d.loader.loadDefaults(dir, below)
			d.byDir[dir] = lv
		}
		below = lv
	}
	return below
}

// loadDefaults reads a directory's _defaults.yaml, where it has one.
func (l *loader) loadDefaults(dir string, below *level) *level {
	path := filepath.Join(dir, defaultsName)
	if !exists(path) {
		return below
	}
	if problem := linkProblem(l.tree.root, path); problem != "" {
		l.fail(path, "bad-path", problem)
		return below
	}
	var diags source.Diagnostics
	defer func() { l.keep(nil, &diags) }()
	doc := single(parseFile(path, &diags), path, &diags)
	return newLevel("directory "+filepath.ToSlash(dir), below, levelKeys(doc, "", &diags), "", l.set, &diags)
}

// single gives a file's only document, or nil where it is empty.
func single(docs []*source.Node, path string, diags *source.Diagnostics) *source.Node {
	var one *source.Node
	for _, d := range docs {
		switch {
		case d.Kind == source.Null:
		case d.Kind != source.Map:
			diags.Errorf(d.Pos(), "wrong-type", "", "wrong type; expected a map of keys")
		case one != nil:
			diags.Errorf(d.Pos(), "documents", "", "second document; %s holds one", filepath.Base(path))
		default:
			one = d
		}
	}
	return one
}
