package fleet

import (
	"io"
	"path/filepath"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// StdinName is the file name of standard input, and of [Options.Instead], in diagnostics.
const StdinName = "<stdin>"

// reader reads the files of a fleet for one visitor.
type reader struct {
	*Fleet
	visit Visitor
}

func (r *reader) readStdin() {
	data, err := io.ReadAll(io.LimitReader(r.Stdin, source.MaxFileSize+1))
	if err != nil {
		r.fail(StdinName, rule.Unreadable, err.Error())
		return
	}
	r.readText(data, nil)
}

// readText reads a file without a name.
func (r *reader) readText(data []byte, below *Level) {
	var diags source.Diagnostics
	r.readDocs(StdinName, source.Parse(&source.File{Name: StdinName, Data: data}, &diags), below, &diags)
	r.report(&diags)
}

// batchSize is the number of files per task: handing over a single small file
// costs a considerable part of reading it.
const batchSize = 16

// valuesFile is a file with VMs, and the level that they inherit from.
type valuesFile struct {
	path  string
	below *Level
}

func (r *reader) readTree() {
	t := r.tree
	dirs := dirLevels{fleet: r.Fleet, byDir: map[string]*Level{}}
	if t.part == t.root || t.part == t.header {
		var diags source.Diagnostics
		r.readEntries(r.doc.Field("vms"), r.top, &diags)
		r.report(&diags)
	}
	var batch []valuesFile
	t.walk(r.Header.Ignore, func(file string, levels []string) {
		if batch = append(batch, valuesFile{file, dirs.at(levels)}); len(batch) == batchSize {
			r.readFiles(batch)
			batch = nil
		}
	}, func(file, problem string) { r.fail(file, rule.BadPath, problem) })
	r.readFiles(batch)
}

func (r *reader) readFiles(files []valuesFile) {
	if len(files) == 0 {
		return
	}
	r.pool.do(len(files), func() {
		for _, f := range files {
			if r.Ended() {
				return
			}
			var diags source.Diagnostics
			r.readDocs(f.path, parseValues(f.path, &diags), f.below, &diags)
			r.report(&diags)
		}
	})
}

// dirLevels contains the levels of directories, each of which is read once.
type dirLevels struct {
	fleet *Fleet
	byDir map[string]*Level
}

// at returns the level of the innermost directory in a chain.
func (d *dirLevels) at(dirs []string) *Level {
	below := d.fleet.top
	for _, dir := range dirs {
		lv, ok := d.byDir[dir]
		if !ok {
			lv = d.fleet.readDefaults(dir, below)
			d.byDir[dir] = lv
		}
		below = lv
	}
	return below
}

// readDefaults reads a directory's _defaults.yaml, if it has one.
func (f *Fleet) readDefaults(dir string, below *Level) *Level {
	path := filepath.Join(dir, defaultsName)
	if !exists(path) {
		return below
	}
	if problem := linkProblem(f.tree.root, path); problem != "" {
		f.fail(path, rule.BadPath, problem)
		return below
	}
	var diags source.Diagnostics
	defer f.report(&diags)
	doc := single(parseFile(path, &diags), path, &diags)
	return f.newLevel("directory "+filepath.ToSlash(dir), below, levelKeys(doc, "", &diags), "", &diags)
}

// parseFile parses the documents of one file.
func parseFile(path string, diags *source.Diagnostics) []*source.Node {
	return parseWith(source.Parse, path, diags)
}

// parseValues parses the documents of a file with VMs, and leaves the VMs of a large one as text.
func parseValues(path string, diags *source.Diagnostics) []*source.Node {
	return parseWith(func(file *source.File, diags *source.Diagnostics) []*source.Node {
		return source.ParseEntries(file, "vms", diags)
	}, path, diags)
}

func parseWith(
	parse func(*source.File, *source.Diagnostics) []*source.Node, path string, diags *source.Diagnostics,
) []*source.Node {
	data, err := source.ReadFile(path)
	if err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Unreadable, "", "%s", err)
		return nil
	}
	return parse(&source.File{Name: path, Data: data}, diags)
}

// single returns the only document of a file, or nil if the file is empty.
func single(docs []*source.Node, path string, diags *source.Diagnostics) *source.Node {
	var one *source.Node
	for _, d := range docs {
		switch {
		case d.Kind == source.Null:
		case d.Kind != source.Map:
			diags.Errorf(d.Pos(), rule.WrongType, "", "wrong type; expected a map of keys")
		case one != nil:
			diags.Errorf(d.Pos(), rule.Documents, "", "second document; %s holds one", filepath.Base(path))
		default:
			one = d
		}
	}
	return one
}
