package output

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// ListName is the name of the list of a directory's files. It is to be committed with them.
const ListName = ".vmrender-files"

// listHeader is the first line of every list.
const listHeader = "# The files here that `vmrender template --output-dir` wrote, and removes when their VMs are gone."

// list is the sorted names of files, as NAMESPACE/NAME.yaml or .json.
type list []string

// listedName is the form of a name in a list: no other file is ever removed.
var listedName = lazyregexp.New(`^[a-z0-9][-a-z0-9]*/[a-z0-9][-a-z0-9.]*\.(yaml|json)$`)

// String returns one line that differs for renders that must not share a directory. Values of --set, --default and
// --namespace are not part of it: they may be secret, and they change the content of the files, not their owner.
func (o Origin) String() string {
	if o.Root == "" {
		return "# from standard input"
	}
	var line strings.Builder
	fmt.Fprintf(&line, "# from fleet %q, path %q", o.Fleet, o.Part)
	for _, overlay := range o.Overlays {
		fmt.Fprintf(&line, ", overlay %q", fromRoot(o.Root, overlay))
	}
	return line.String()
}

// fromRoot returns the path of a file from the fleet's root, so that it does not depend on the working directory.
func fromRoot(root, file string) string {
	absRoot, errRoot := filepath.Abs(root)
	absFile, errFile := filepath.Abs(file)
	if rel, err := filepath.Rel(absRoot, absFile); errRoot == nil && errFile == nil && err == nil {
		file = rel
	}
	return filepath.ToSlash(file)
}

// readList returns the list of a directory, which is empty if there is none. One of another origin is an error.
func readList(d *files.Dir, origin string) (list, error) {
	text, err := d.Read(ListName)
	if err != nil || text == nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if lines[0] != listHeader || len(lines) < 2 {
		return nil, fmt.Errorf("%s:1: not a list of vmrender; expected %q", d.Path(ListName), listHeader)
	}
	if lines[1] != origin {
		return nil, fmt.Errorf("%s:2: the directory has the files of another render, %q; this one is %q: "+
			"choose another directory, or empty this one", d.Path(ListName), lines[1], origin)
	}
	names := list(lines[2:])
	for i, name := range names {
		if !listedName().MatchString(name) {
			return nil, fmt.Errorf("%s:%d: invalid line %q; expected NAMESPACE/NAME.yaml", d.Path(ListName), i+3, name)
		}
	}
	return list{}.with(names), nil
}

func writeList(d *files.Dir, origin string, names list) error {
	var b files.Batch
	defer b.Discard()
	lines := append([]string{listHeader, origin}, names...)
	if err := b.Put(d, ListName, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		return err
	}
	return b.Commit()
}

func (l list) has(name string) bool {
	_, found := slices.BinarySearch(l, name)
	return found
}

// with returns the list with further names.
func (l list) with(names list) list {
	all := slices.Concat(l, names)
	slices.Sort(all)
	return slices.Compact(all)
}

// stale returns the listed files that are not rendered any more. Of a selection of VMs, these are only the files of
// the same VMs in the other format.
func (l list) stale(rendered list, selected bool) list {
	var vms map[string]bool
	if selected {
		vms = make(map[string]bool, len(rendered))
		for _, name := range rendered {
			vms[stem(name)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(l), func(name string) bool {
		return rendered.has(name) || selected && !vms[stem(name)]
	})
}

// stem returns a name without the ending of its format.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }
