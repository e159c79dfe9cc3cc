package catalog

import (
	_ "embed" // for the tables
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// The files that are compiled into the program.
var (
	//go:embed data/os.yaml
	osText string
	//go:embed data/traits.yaml
	traitsText string
	//go:embed data/flavors.yaml
	flavorsText string
	//go:embed data/arch.yaml
	archText string
	//go:embed data/images.yaml
	imagesText string
)

// The tables of built-in entries, each created on first use.
var (
	builtinOS       = sync.OnceValue(func() *table { return newTable("os", osText) })
	builtinTraits   = sync.OnceValue(func() *table { return newTable("traits", traitsText) })
	builtinFlavors  = sync.OnceValue(func() *table { return newTable("flavors", flavorsText) })
	builtinArch     = sync.OnceValue(func() *table { return newTable("arch", archText) })
	builtinImages   = sync.OnceValue(func() *table { return newTable("public images", imagesText) })
	builtinNetworks = sync.OnceValue(func() *table { return newTable("networks", "pod: {pod: true}\n") })
)

// builtin returns the built-in entries of a kind, or nil if there are none.
func builtin(kind string) *table {
	switch kind {
	case "os":
		return builtinOS()
	case "traits":
		return builtinTraits()
	case "flavors":
		return builtinFlavors()
	case "arch":
		return builtinArch()
	case "public images":
		return builtinImages()
	case "networks":
		return builtinNetworks()
	}
	return nil
}

// table contains the text of a map of entries. A process needs few of them, so each
// entry is parsed on first use. A nil table is empty.
type table struct {
	kind  string
	names []string // in the order written
	texts map[string]string
	nodes sync.Map // name → *source.Node
}

// newTable splits the text of a map at its keys, which are the lines that start with
// neither a space nor a comment.
func newTable(kind, text string) *table {
	t := &table{kind: kind, texts: map[string]string{}}
	name, start := "", 0
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if c := text[at]; c != ' ' && c != '#' && c != '\n' {
			t.add(name, text[start:at])
			name, start = text[at:at+strings.IndexByte(text[at:], ':')], at
		}
		at = end
	}
	t.add(name, text[start:])
	return t
}

func (t *table) add(name, text string) {
	if name != "" {
		t.names = append(t.names, name)
		t.texts[name] = text
	}
}

// IsBuiltin reports whether a position is that of a built-in value, in a file that
// users cannot open.
func IsBuiltin(p source.Pos) bool { return strings.HasPrefix(p.File, builtinFile) }

// Where returns a position for use in a message, such as "vms.yaml:3:5": of a built-in value, only the name of its
// file.
func Where(p source.Pos) string {
	if IsBuiltin(p) {
		return p.File
	}
	return p.String()
}

// builtinFile is the prefix of the file names of built-in entries.
const builtinFile = "<built-in "

// get returns an entry, or nil if there is none. The file of its values is named after
// it. The package's tests prove that the data has no errors.
func (t *table) get(name string) *source.Node {
	if t == nil || t.texts[name] == "" {
		return nil
	}
	return remember(&t.nodes, name, func(string) *source.Node {
		var diags source.Diagnostics
		file := &source.File{Name: builtinFile + t.kind + " " + name + ">", Data: []byte(t.texts[name])}
		return source.Parse(file, &diags)[0].Get(name)
	})
}
