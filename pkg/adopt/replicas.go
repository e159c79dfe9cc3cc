package adopt

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// fold replaces the entries of VMs NAME-0 to NAME-<n-1> of a file by one with
// `replicas`, if they differ in nothing but their names.
func (w *work) fold() {
	for _, g := range w.levels {
		for name, all := range node.Sorted(g.numbered()) {
			if len(all) > 1 && isAlike(all) && !g.has(name) {
				lead(name, all)
			}
		}
	}
}

// numbered returns the entries whose names end in consecutive numbers from 0, in their
// order, by the names without the numbers.
func (g *group) numbered() map[string][]*imported {
	out := map[string][]*imported{}
	for _, e := range g.entries {
		name, number, ok := cutNumber(e.Live.Name)
		if ok && number >= 0 {
			out[name] = append(out[name], e)
		}
	}
	for name, all := range out {
		slices.SortFunc(all, func(a, b *imported) int { return numberOf(a) - numberOf(b) })
		for i, e := range all {
			if numberOf(e) != i {
				delete(out, name)
				break
			}
		}
	}
	return out
}

// cutNumber cuts the number off a name such as web-2. Other spellings of a number, such as
// 02, are part of the name.
func cutNumber(name string) (string, int, bool) {
	i := strings.LastIndexByte(name, '-')
	number, err := strconv.Atoi(name[i+1:])
	if i < 1 || err != nil || strconv.Itoa(number) != name[i+1:] {
		return "", 0, false
	}
	return name[:i], number, true
}

func numberOf(e *imported) int {
	_, number, _ := cutNumber(e.Live.Name)
	return number
}

func (g *group) has(name string) bool {
	return slices.ContainsFunc(g.entries, func(e *imported) bool { return e.machine.Entry == name })
}

// isAlike reports whether the entries set the same, except for their names where the format has
// templates.
func isAlike(all []*imported) bool {
	first := all[0].generic()
	return !slices.ContainsFunc(all, func(e *imported) bool { return !bytes.Equal(first, e.generic()) })
}

// templated are the keys of a disk whose values are templates.
const templatedKey = "claimName"

// generic returns the keys of the entry as JSON, with a template in the place of its name.
func (e *imported) generic() []byte { return source.AppendJSON(nil, e.templated().Node()) }

// templated returns the keys of the entry with a template in the place of its name.
func (e *imported) templated() *node.Map {
	out := node.From(e.Keys.Node(), "")
	disks := node.From(e.Keys.Get("disks"), "")
	for i, f := range disks.Fields {
		if name := f.Value.Get(templatedKey).Str(); strings.Contains(name, e.Live.Name) {
			disk := node.From(f.Value, "size")
			disk.Set(templatedKey, strings.ReplaceAll(name, e.Live.Name, "{{ .vm.name }}"))
			disks.Fields[i].Value = disk.Node()
		}
	}
	out.Set("disks", disks)
	return out
}

// lead uses the first of the entries for all of them.
func lead(name string, all []*imported) {
	first := all[0]
	first.Keys = *first.templated()
	first.Keys.Set("replicas", len(all))
	for _, e := range all {
		e.machine.Entry, e.leader = name, first
	}
}
