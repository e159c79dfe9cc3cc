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
		for !r.Ended() && len(files) > 0 {
			files = files[r.readSome(files):]
		}
	})
}

// mostAhead is the number of bytes of files that are in memory before the first of them is parsed, roughly.
const mostAhead = 1 << 20

// readSome reads the first of some files, and returns how many. It reads them all before it parses the first, because
// code is slower for a while after a system call. Measured end to end: 10,000 VMs, a file each, take 10 % more CPU time
// if each file is read when it is parsed.
func (r *reader) readSome(files []valuesFile) int {
	var read [batchSize]content
	n := 0
	for size := 0; n < len(files) && size < mostAhead; n++ {
		read[n] = readContent(files[n].path)
		size += len(read[n].data)
	}
	for i := 0; i < n && !r.Ended(); i++ {
		var diags source.Diagnostics
		r.readDocs(read[i].path, read[i].parse(parseValues, &diags), files[i].below, &diags)
		r.report(&diags)
		read[i] = content{}
	}
	return n
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

// content is that of a file, or why it cannot be read.
type content struct {
	path string
	data []byte
	err  error
}

func readContent(path string) content {
	data, err := source.ReadFile(path)
	return content{path, data, err}
}

// parse parses the documents of a file.
func (c *content) parse(
	parse func(*source.File, *source.Diagnostics) []*source.Node, diags *source.Diagnostics,
) []*source.Node {
	if c.err != nil {
		diags.Errorf(source.Pos{File: c.path}, rule.Unreadable, "", "%s", c.err)
		return nil
	}
	return parse(&source.File{Name: c.path, Data: c.data}, diags)
}

// parseFile parses the documents of one file.
func parseFile(path string, diags *source.Diagnostics) []*source.Node {
	c := readContent(path)
	return c.parse(source.Parse, diags)
}

// parseValues parses the documents of a file with VMs, and leaves the VMs of a large one as text.
func parseValues(file *source.File, diags *source.Diagnostics) []*source.Node {
	return source.ParseEntries(file, "vms", diags)
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
