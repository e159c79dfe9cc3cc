package writeback

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// isRendered reports whether what is rendered is the VM as it looks at a glance. Another look may find that, too.
func (x *merging) isRendered(r *rendering) bool {
	return len(draft.Difference(draft.Plain(r.vms[x.Key()]), x.Live.Tree)) == 0
}

// settleMerged writes the entry, and adds to it what no key expresses, until it renders the
// VM, or nothing helps.
func (m *merge) settleMerged(x *merging) error {
	for range mostRounds {
		r, err := m.tried(x)
		if err != nil {
			return err
		}
		if len(r.errors) > 0 {
			if !x.resetAt(x.errorsIn(r)) {
				return refused(r.errors[0].text())
			}
			continue
		}
		if more, err := x.supplement(r); err != nil || !more {
			return err
		}
	}
	_, err := m.tried(x) // the result is checked
	return err
}

// mostRounds is for keys that are refused, one after the other, the residue, and the residue of that.
const mostRounds = 8

// supplement adds to an entry what it lacks in what is rendered. It reports whether there was something.
func (x *merging) supplement(r *rendering) (bool, error) {
	if r.vms[x.Key()].JSON == nil {
		return false, refused("with these changes the entry renders no VM of this name, as with `strategy: blue-green`")
	}
	if x.out.imposed() || x.isRendered(r) {
		return false, nil
	}
	rendered, err := draft.ReadUncounted(r.vms[x.Key()], x.Live.Namespace)
	if err != nil {
		return false, refused(err.Error())
	}
	if len(draft.Difference(rendered.Tree, x.Live.Tree)) == 0 {
		return false, nil
	}
	if !x.KeepPlugs(rendered.Tree) {
		x.patchVolumes(rendered.Tree)
		x.Settle(rendered.Tree)
	}
	return true, nil
}

// patchVolumes patches the volumes that differ, if they have the same names in the same order:
// overrides could only replace all of them. What is patched is the same in both then.
func (x *merging) patchVolumes(rendered tree) {
	want, got := manifest.List(x.Live.Tree, draft.PathVolumes...), manifest.List(rendered, draft.PathVolumes...)
	named := func(a, b any) bool { return manifest.EntryName(a) == manifest.EntryName(b) }
	if !slices.EqualFunc(want, got, named) {
		return
	}
	for i := range got {
		for key, value := range node.Sorted(draft.Difference(got[i].(tree), want[i].(tree))) {
			op := node.Map{}
			op.Set("op", "add")
			op.Set("path", fmt.Sprintf("/%s/%d/%s", strings.Join(draft.PathVolumes, "/"), i, key))
			if value == nil {
				op.Set("op", "remove")
			} else {
				op.Put("value", node.Of(want[i].(tree)[key]))
			}
			x.Keys.Put("patches", node.Joined(x.Keys.Get("patches"), node.List([]any{op.Node()})))
		}
		got[i] = want[i]
	}
}

// imposed reports whether an overlay sets a value that differs: what is left then is the
// overlay's, and no override of the entry's.
func (m *Machine) imposed() bool { return len(m.Asks) > 0 && m.Asks[0].Why == whyOverlay }

// errorsIn returns the errors in the entry of a VM, sorted.
func (x *merging) errorsIn(r *rendering) (out []problem) {
	at := source.JoinPath("vms", x.out.Entry)
	for _, p := range r.errors {
		if isAt(p.Path, at) {
			out = append(out, p)
		}
	}
	return out
}

// isAt reports whether a path is at another one, or below it.
func isAt(path, at string) bool {
	rest, ok := strings.CutPrefix(path, at)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// resetAt leaves a key that the format refuses as it was; its change becomes an override. It
// reports whether there was one.
func (x *merging) resetAt(errors []problem) bool {
	found := false
	for i := range errors {
		rest, ok := strings.CutPrefix(errors[i].Path, source.JoinPath("vms", x.out.Entry)+".")
		if !ok {
			continue
		}
		key, _, _ := strings.Cut(strings.ReplaceAll(rest, "[", "."), ".")
		if x.reset[key] || cmp.Or(x.Keys.Get(key), node.Null()).Equal(cmp.Or(x.before.Get(key), node.Null())) {
			continue
		}
		x.reset[key], found = true, true
		if v := x.before.Get(key); v != nil {
			x.Keys.Put(key, v)
		} else {
			x.Keys.Remove(key)
		}
	}
	return found
}

// tried writes the entry of a VM into the copy, and renders it.
func (m *merge) tried(x *merging) (*rendering, error) {
	text, err := m.textWith([]*merging{x}, (*merging).entry)
	if err != nil {
		return nil, refused(err.Error())
	}
	if err := m.fleet.put(x.file, text); err != nil {
		return nil, err
	}
	return m.render(x.file)
}
