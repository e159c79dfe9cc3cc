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
)

// The built-in entries, each table made when something of it is first asked for.
var (
	builtinOS       = sync.OnceValue(func() *table { return newTable("os", osText) })
	builtinTraits   = sync.OnceValue(func() *table { return newTable("traits", traitsText) })
	builtinFlavors  = sync.OnceValue(func() *table { return newTable("flavors", flavorsText) })
	builtinNetworks = sync.OnceValue(func() *table { return newTable("networks", "pod: {pod: true}\n") })
)

// builtin gives the built-in entries of a kind; nil where there are none.
func builtin(kind string) *table {
	switch kind {
	case "os":
		return builtinOS()
	case "traits":
		return builtinTraits()
	case "flavors":
		return builtinFlavors()
	case "networks":
		return builtinNetworks()
	}
	return nil
}

// table holds the text of a map of entries. A process needs few of them, so
// each is parsed when it is asked for. A nil table is empty.
type table struct {
	kind  string
	names []string // in the order written
	texts map[string]string
	nodes sync.Map // name → *source.Node
}

// newTable splits the text of a map at its keys, the lines that start with
// neither space nor comment.
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

// IsBuiltin tells the place of a built-in value, which no user can open.
func IsBuiltin(p source.Pos) bool { return strings.HasPrefix(p.File, builtinFile) }

// builtinFile starts the names of the files that built-in entries stand in.
const builtinFile = "<built-in "

// get returns an entry, or nil. Its values stand in a file that is named after
// it. That the data have no errors is what the package's tests prove.
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
