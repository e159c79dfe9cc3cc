package edit_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

// wrapped returns a map with one key, so that any two values can be compared.
func wrapped(n *source.Node) *source.Node {
	return &source.Node{Kind: source.Map, Fields: []source.Field{{Key: "x", Value: n}}}
}

// paths returns the paths of all values of a tree except its root.
func paths(n *source.Node, at []string) [][]string {
	var out [][]string
	below := func(key string, n *source.Node) {
		path := append(slices.Clone(at), key)
		out = append(append(out, path), paths(n, path)...)
	}
	for _, f := range n.Fields {
		below(f.Key, f.Value)
	}
	for i, item := range n.Items {
		below(fmt.Sprintf("[%d]", i), item)
	}
	return out
}

// newValues are the values that the random changes set.
var newValues = []string{
	"5", "on-line", `"on"`, `"5"`, "02:00:00:00:00:01", "null", "{}", "[]", `""`, "true",
	`"a: b"`, `"a\nb\n"`, `"\na"`, `" a"`, `"it's #1"`, `"\u00e9\u200b\t"`, `["a\nb\n\n"]`,
	"{size: 20Gi, bus: scsi}", "[a, b]", "[[1, 2], [3]]", `{text: "a\n\nb\n", list: [{x: 1}, {x: 2, y: {z: 3}}]}`,
}

// draw returns changes of a document, drawn at random.
func draw(t testing.TB, r *rand.Rand, doc *source.Node) []edit.Change {
	all := paths(doc, nil)
	var changes []edit.Change
	for range 1 + r.IntN(3) {
		c := edit.Change{Path: []string{"new key"}, Value: parse(t, newValues[r.IntN(len(newValues))])[0]}
		if len(all) > 0 {
			c.Path = all[r.IntN(len(all))]
		}
		switch r.IntN(4) {
		case 0:
			c.Value = nil
		case 1:
			c.Path = append(slices.Clone(c.Path[:len(c.Path)-1]), "added")
		}
		if r.IntN(3) == 0 {
			c.Comment = "why"
		}
		changes = append(changes, c)
	}
	return changes
}

// check makes changes in a text one after the other and returns how many. It fails the test if a change has
// any other effect. In a tidy text, a change must not change other lines, either.
func check(t testing.TB, text []byte, seed uint64, tidy bool) int {
	r := rand.New(rand.NewPCG(seed, 0))
	first, all := text, []edit.Change{}
	for _, c := range draw(t, r, parse(t, string(text))[0]) {
		got, err := edit.Apply(name, text, c)
		if err != nil {
			require.False(t, tidy && strings.Contains(err.Error(), "by a program"), "%q\n%s", c.Path, text)
			continue
		}
		all = append(all, c)
		old, now := parse(t, string(text)), parse(t, string(got))
		changed := 0
		for i := range old {
			changes := edit.Diff(wrapped(old[i]), wrapped(now[i]))
			requireOnly(t, append([]string{"x"}, c.Path...), changes)
			if changed += len(changes); c.Value != nil && len(changes) > 0 {
				require.Empty(t, edit.Diff(wrapped(c.Value), wrapped(at(now[i], c.Path))), string(got))
			}
		}
		if c.Value == nil {
			require.Equal(t, 1, changed)
		}
		if tidy && c.Comment == "" {
			requireKept(t, string(text), string(got), old, c.Path)
		}
		text = got
	}
	if tidy {
		requireTogether(t, first, text, all)
	}
	return len(all)
}

// requireTogether fails the test unless changes that are made at the same time have the same effect.
func requireTogether(t testing.TB, before, after []byte, changes []edit.Change) {
	t.Helper()
	got, err := edit.Apply(name, before, changes...)
	require.NoError(t, err)
	want, docs := parse(t, string(after)), parse(t, string(got))
	require.Len(t, docs, len(want))
	for i := range want {
		require.Empty(t, edit.Diff(wrapped(want[i]), wrapped(docs[i])), "%s---\n%s---\n%s", before, after, got)
	}
}

// requireOnly fails the test if a change is not at, above or below a path.
func requireOnly(t testing.TB, path []string, changes []edit.Change) {
	t.Helper()
	for _, c := range changes {
		depth := min(len(path), len(c.Path))
		require.Equal(t, path[:depth], c.Path[:depth])
	}
}

// at returns the value at a path, or nil if there is none.
func at(n *source.Node, path []string) *source.Node {
	for _, key := range path {
		var i int
		if n == nil || n.Kind != source.List {
			n = n.Get(key)
		} else if _, err := fmt.Sscanf(key, "[%d]", &i); err != nil || i >= len(n.Items) {
			return nil
		} else {
			n = n.Items[i]
		}
	}
	return n
}

// requireKept fails the test if a line changes outside the range from the key above the last one in the path
// to the next key after its value.
func requireKept(t testing.TB, before, after string, docs []*source.Node, path []string) {
	t.Helper()
	if before == after {
		return
	}
	old, changed := strings.Split(before, "\n"), strings.Split(after, "\n")
	first := 0
	for first < min(len(old), len(changed)) && old[first] == changed[first] {
		first++
	}
	last := 0
	for last < min(len(old), len(changed))-first && old[len(old)-1-last] == changed[len(changed)-1-last] {
		last++
	}
	for _, doc := range docs {
		parent := at(doc, path[:len(path)-1])
		if parent == nil || len(path) == 1 {
			continue
		}
		within := append(span(parent), keyLine(doc, path[:len(path)-1]))
		next := len(old)
		for _, line := range span(doc) {
			if line > slices.Max(within) {
				next = min(next, line-1)
			}
		}
		require.GreaterOrEqual(t, first, slices.Min(within)-1, "%s---\n%s", before, after)
		require.LessOrEqual(t, len(old)-last, next, "%q\n%s---\n%s", path, before, after)
		return
	}
}

// keyLine returns the line of the key or item at a path.
func keyLine(doc *source.Node, path []string) int {
	last := len(path) - 1
	if f := at(doc, path[:last]).Field(path[last]); f != nil {
		return int(f.Line)
	}
	return int(at(doc, path).Line)
}

// span returns the lines of all keys and values of a tree.
func span(n *source.Node) []int {
	out := []int{int(n.Line)}
	for _, f := range n.Fields {
		out = append(append(out, int(f.Line)), span(f.Value)...)
	}
	for _, item := range n.Items {
		out = append(out, span(item)...)
	}
	return out
}

// All changes of generated fleets, which are block YAML or JSON, succeed.
func TestChangesOfFleets(t *testing.T) {
	made := 0
	for seed := range uint64(40) {
		files, err := fleetgen.New(seed).Text()
		require.NoError(t, err)
		for _, file := range slices.Sorted(maps.Keys(files)) {
			// The wrong keys of a fleet may not be YAML.
			if strings.HasSuffix(file, ".yaml") && !strings.Contains(string(files[file]), "\ufeff") {
				made += check(t, files[file], seed, true)
			}
		}
	}
	require.Greater(t, made, 60)
}

// Setting a key in each VM of the examples and removing it again leaves the same bytes.
func TestExamplesAreTheSameAgain(t *testing.T) {
	set := 0
	for _, file := range yamlFiles(t, "../../examples") {
		text := read(t, file)
		for _, vms := range vmsOf(parse(t, string(text))) {
			for _, vm := range vms.Fields {
				set += setAndRemove(t, text, vm)
			}
		}
	}
	require.Greater(t, set, 100)
}

// setAndRemove sets a key in a VM with different comments and returns how often.
func setAndRemove(t *testing.T, text []byte, vm source.Field) int {
	t.Helper()
	comments, value := []string{""}, vm.Value
	line := strings.Split(string(text), "\n")[vm.Value.Line-1]
	switch c := line[vm.Value.Col-1]; {
	case len(vm.Value.Fields) == 0 || c == '&' || c == '*':
		return 0 // a null would become a map, and an anchor is rejected
	case c == '{': // a comment would be above the VM and stay, and a long line would become several
		value = parse(t, "1")[0]
	default:
		comments = append(comments, "why", "first\nsecond")
	}
	path := []string{"vms", vm.Key, "new"}
	for _, comment := range comments {
		with, err := edit.Apply(name, text, edit.Change{Path: path, Value: value, Comment: comment})
		require.NoError(t, err)
		require.NotEqual(t, string(text), string(with))
		without, err := edit.Apply(name, with, edit.Change{Path: path})
		require.NoError(t, err)
		require.Equal(t, string(text), string(without), vm.Key)
	}
	return len(comments)
}

func vmsOf(docs []*source.Node) []*source.Node {
	var out []*source.Node
	for _, doc := range docs {
		if vms := doc.Get("vms"); vms != nil {
			out = append(out, vms)
		}
	}
	return out
}

func yamlFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	}))
	require.NotEmpty(t, files)
	return files
}

// FuzzApply makes changes in arbitrary YAML.
func FuzzApply(f *testing.F) {
	for _, file := range []string{"block", "flow", "refused", "documents"} {
		for _, test := range txtar.Parse(read(f, "testdata/apply/"+file+".txtar")).Files {
			f.Add(string(test.Data), uint64(len(test.Data)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		var diags source.Diagnostics
		docs := source.Parse(&source.File{Name: name, Data: []byte(text)}, &diags)
		if len(docs) > 0 && diags.Len() == 0 {
			check(t, []byte(text), seed, false)
		}
	})
}
