package catalog

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checker checks a fleet's own entries. It skips values of the wrong type, which
// [source.Decode] reports.
type checker struct {
	set    *Set
	diags  *source.Diagnostics
	cycles map[string]bool // names in a `from` cycle that was reported
}

func check(s *Set, diags *source.Diagnostics) {
	source.Decode(s.user, new(Catalog), "catalog", diags)
	c := checker{s, diags, map[string]bool{}}
	c.each("os", c.checkOS)
	c.each("flavors", c.checkFlavor)
	c.each("networks", c.checkNetwork)
	c.each("images", c.checkImage)
	c.each("storageClasses", c.checkStorageClass)
	for _, kind := range []string{"networks", "storageClasses"} {
		leads := map[string]string{}
		c.each(kind, func(f *source.Field, path string) { c.checkVSphere(kind, f, path, leads) })
	}
}

// each calls a function with every entry of a kind that is a map, and its path.
func (c *checker) each(kind string, check func(f *source.Field, path string)) {
	entries := c.set.user.Get(kind)
	if entries == nil {
		return
	}
	for i := range entries.Fields {
		if f := &entries.Fields[i]; f.Value.Kind == source.Map {
			check(f, source.JoinPath("catalog."+kind, f.Key))
		}
	}
}

// checkForm reports the problem that a function finds in a string, or in each string of
// a list.
func (c *checker) checkForm(n *source.Node, path string, problem func(string) string) {
	switch {
	case n == nil:
	case n.Kind == source.List:
		for i, item := range n.Items {
			c.checkForm(item, source.IndexPath(path, i), problem)
		}
	case n.Kind == source.String && n.Text != "":
		if p := problem(n.Text); p != "" {
			c.diags.Errorf(n.Pos(), rule.BadValue, path, "%s", p)
		}
	}
}

// checkQuantity checks an amount of bytes, which may be written as a number.
func (c *checker) checkQuantity(n *source.Node, path string, unit Unit) {
	if n != nil && (n.Kind == source.Int || n.Kind == source.Float) {
		text := *n
		text.Kind = source.String
		n = &text
	}
	c.checkForm(n, path, func(text string) string { return quantityProblem(text, unit) })
}

// reportUnknown reports a name that is not in the catalog.
func (c *checker) reportUnknown(n *source.Node, path, what, kind string) {
	c.diags.Errorf(n.Pos(), rule.UnknownName, path, "%s", c.set.Unknown(what, kind, n.Text))
}

// text returns the value of a key if it is a string that is not empty, or nil.
func text(n *source.Node, key string) *source.Node {
	if v := n.Get(key); v != nil && v.Kind == source.String && v.Text != "" {
		return v
	}
	return nil
}

func (c *checker) checkOS(f *source.Field, path string) {
	c.checkMaps(f.Value, path, "defaults", "overrides")
	c.checkQuantity(f.Value.Get("rootSize"), path+".rootSize", OfDisk)
	c.checkQuantity(f.Value.Get("minimum", "memory"), path+".minimum.memory", OfMemory)
	sound := c.checkFrom(f, path)
	sound = c.checkTraits(f.Value.Get("traits"), path+".traits") && sound
	if image := f.Value.Field("image"); image != nil {
		c.checkSource(image, path+".image")
		if text(image.Value, "image") != nil && c.set.Image(image.Value.Get("image").Text) == nil {
			c.reportUnknown(image.Value.Get("image"), path+".image.image", "image", "images")
		}
	}
	if sound {
		c.checkComplete(f, path)
	}
}

// checkMaps reports free-form values that are not maps.
func (c *checker) checkMaps(n *source.Node, path string, keys ...string) {
	for _, key := range keys {
		if v := n.Get(key); v != nil && v.Kind != source.Map && v.Kind != source.Null {
			c.diags.Errorf(v.Pos(), rule.WrongType, path+"."+key, "wrong type; expected a map of keys")
		}
	}
}

// checkFrom reports an entry that cannot be built from its `from`, and returns whether
// its whole lineage is valid.
func (c *checker) checkFrom(f *source.Field, path string) bool {
	from := text(f.Value, "from")
	if from == nil {
		return true
	}
	line := c.set.lineage(f.Key)
	last := line[len(line)-1]
	first := slices.Index(line, last)
	switch {
	case from.Text == f.Key && builtinOS().get(f.Key) == nil:
		c.diags.Errorf(from.Pos(), rule.Cycle, path+".from",
			"%q is built from itself; only a built-in entry can be extended under its own name", f.Key)
		return false
	case len(line) > mostBuilt:
		c.diags.Errorf(from.Pos(), rule.OutOfRange, path+".from",
			"%q is built from too many others; expected at most %d, each from the next", f.Key, mostBuilt-1)
		return false
	case first < len(line)-1:
		if first == 0 && !c.cycles[f.Key] {
			c.diags.Errorf(from.Pos(), rule.Cycle, path+".from",
				"cycle %s; an entry must lead to a built-in one, or to one without `from`", strings.Join(line, " -> "))
		}
		for _, name := range line[first:] {
			c.cycles[name] = true
		}
		return false
	case len(line) > 1 && !c.set.Has("os", from.Text):
		c.reportUnknown(from, path+".from", "operating system", "os")
		return false
	}
	return c.set.compose(last, DefaultArch) != nil
}

// checkTraits reports unknown traits, and returns whether all are known.
func (c *checker) checkTraits(list *source.Node, path string) bool {
	if list == nil {
		return true
	}
	sound := true
	for i, n := range list.Items {
		if n.Kind == source.String && c.set.Trait(n.Text) == nil {
			c.reportUnknown(n, source.IndexPath(path, i), "trait", "traits")
			sound = false
		}
	}
	return sound
}

// checkComplete reports what an entry lacks, merged with all that it is built from.
func (c *checker) checkComplete(f *source.Field, path string) {
	missing := func(what string) { c.diags.Errorf(f.Pos(), rule.MissingKey, path, "%s", what) }
	os := c.set.OS(f.Key)
	switch {
	case os == nil, os.Family == "" && text(os.Node, "family") != nil: // reported
	case os.Family == "" && c.set.from(f.Key) == "":
		missing("no family; build the entry from another one, such as `from: linux`, or give it family and traits")
	case os.Family == "":
		missing("no family; accepted: linux, windows")
	case os.DiskBus == "":
		missing("no trait gives disks a bus; add virtio or sata to the traits")
	case os.NICModel == "":
		missing("no trait gives NICs a model; add virtio or e1000e to the traits")
	}
	image := f.Value.Field("image")
	if image != nil && image.Value.Kind == source.Map && os != nil && len(os.Image.Kinds()) == 0 {
		c.reportNoSource(image.Pos(), path+".image")
	}
}

func (c *checker) checkImage(f *source.Field, path string) {
	c.checkSource(f, path)
	if len(givenContent(f.Value)) == 0 {
		c.reportNoSource(f.Pos(), path)
	}
	if other := text(f.Value, "image"); other != nil {
		c.diags.Errorf(other.Pos(), rule.Conflict, path+".image",
			"an image cannot name another image; give it that one's source")
	}
}

func (c *checker) reportNoSource(at source.Pos, path string) {
	c.diags.Errorf(at, rule.MissingKey, path, "exactly one of %s; found none", sourceKeys())
}

func sourceKeys() string {
	names := make([]string, len(contents))
	for i, k := range contents {
		names[i] = k.key
	}
	return orList(names)
}

// checkSource checks a disk source. Two of the keys that specify the content are a
// conflict, reported at the one that is written last.
func (c *checker) checkSource(f *source.Field, path string) {
	if f.Value.Kind != source.Map {
		return
	}
	if given := givenContent(f.Value); len(given) > 1 {
		var names []string
		last := given[0]
		for _, g := range given {
			names = append(names, g.Key)
			if g.Line > last.Line || g.Line == last.Line && g.Col > last.Col {
				last = g
			}
		}
		c.diags.Errorf(last.Pos(), rule.Conflict, path,
			"exactly one of %s; found %s", sourceKeys(), strings.Join(names, " and "))
		return
	}
	var s Source
	decode(f.Value, &s)
	for _, p := range s.Problems() {
		c.diags.Errorf(f.Value.Get(p.Key).Pos(), rule.BadValue, path+"."+p.Key, "%s", p.Text)
	}
}
