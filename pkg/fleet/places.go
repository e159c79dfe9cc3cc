package fleet

import (
	"cmp"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/source"
)

// Places are the places of the values of some VMs.
type Places struct {
	fleet   *Fleet
	entries map[string]*Entry
}

// ReadPlaces reads the fleet, directory or file at path once more, and keeps the values of
// some VMs, which are given as namespace/name. A VM can be a replica of an entry, or its
// revision. Problems are not reported: the fleet was read without any.
func ReadPlaces(path string, opts Options, vms []string) *Places {
	f := Open(path, opts, new(source.Diagnostics))
	p := &Places{f, map[string]*Entry{}}
	wanted := map[string][]string{}
	for _, vm := range vms {
		wanted[vm] = append(wanted[vm], vm)
		if entry := entryName().FindStringSubmatch(vm); entry != nil {
			wanted[entry[1]] = append(wanted[entry[1]], vm)
		}
	}
	var mu sync.Mutex
	f.Each(func(e *Entry, _ *source.Diagnostics) {
		full := cmp.Or(e.VM.Namespace, f.Namespace) + "/" + e.Name
		for _, vm := range wanted[full] {
			mu.Lock()
			if p.entries[vm] == nil || vm == full {
				p.entries[vm] = e
			}
			mu.Unlock()
		}
	})
	return p
}

// policyPos returns the place of a key under `policy`: where it is set, or else in the last overlay, because what is
// approved depends on it, or in fleet.yaml.
func (f *Fleet) policyPos(keys []string) source.Pos {
	switch n := f.HeaderKey(keys...); {
	case n.IsSet():
		return n.Pos()
	case len(f.overlays) == 0:
		return f.HeaderPos(source.Pos{}, keys...)
	}
	doc := f.overlays[len(f.overlays)-1].doc
	if field := doc.Field(keys[0]); field != nil {
		return field.Pos()
	}
	return doc.Pos()
}

// entryName matches the names of replicas, and of revisions of a blue-green VM, which end in
// a number or a hash after the name of the entry.
var entryName = lazyregexp.New(`^(.+)-(?:\d+|[0-9a-f]{8})$`)

// Of returns the place of the value that a VM has under a key, such as "disks.data". If the
// files do not set it, it returns that of the nearest key above it, or of the VM's name. For
// a VM that is not known it returns the place of a key of the fleet's `policy`, or the beginning of fleet.yaml.
func (p *Places) Of(vm, key string) source.Pos {
	e := p.entries[vm]
	switch {
	case e == nil && strings.HasPrefix(key, "policy."):
		return p.fleet.policyPos(strings.Split(key, "."))
	case e == nil:
		return p.fleet.HeaderPos(source.Pos{})
	}
	for keys := strings.Split(key, "."); len(keys) > 0; keys = keys[:len(keys)-1] {
		if at := e.At(keys...); at != e.Pos && at.Line > 0 {
			return at
		}
	}
	return e.Pos
}
