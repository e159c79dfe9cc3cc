package fleetgen

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/vmrender/vmrender/pkg/approval"
)

// New returns the fleet of a seed: always the same.
func New(seed uint64) Fleet {
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 0))}
	// Seven of ten fleets have no value that is wrong on purpose, and the others one
	// of 25 or of 150.
	d.wrong = pick(d, []int{0, 0, 0, 0, 0, 0, 0, 150, 150, 25})
	b := builder{maker: maker{readSources(), d}, fleet: Fleet{Files: map[string][]any{}, Flow: d.one(4)}}
	b.header()
	for range 1 + b.IntN(3) {
		b.valuesFile()
	}
	b.defaults()
	b.overlay()
	b.args()
	return b.fleet
}

// builder builds one fleet.
type builder struct {
	maker
	fleet Fleet
	names []string // of the VMs so far
}

func (b *builder) header() {
	header := clone(b.Header)
	keys := []string{"target", "identity", "placement", "policy", "vars", "ignore", "allowEmpty"}
	for _, key := range some(b.draw, keys, b.IntN(3)) {
		b.set(header, "fleet", key)
	}
	if b.one(3) {
		b.catalog(header["catalog"].(map[string]any))
	}
	if b.one(3) {
		merge(header["defaults"].(map[string]any), b.shared(b.IntN(4)/3, b.IntN(3)))
	}
	if b.one(6) {
		header["vms"] = b.vms()
	}
	if b.slip() {
		delete(header, pick(b.draw, []string{"apiVersion", "kind", "metadata", "defaults", "catalog", "target"}))
	}
	b.fleet.Files[headerFile] = []any{header}
}

// set sets a key of a kind of file to another value.
func (b *builder) set(document map[string]any, kind, key string) {
	s := b.kinds[kind].Properties[key]
	if s == nil {
		return
	}
	document[key] = b.value(s, owner(kind)+"."+key, 1)
}

// catalog adds entries to a catalog, or replaces some.
func (b *builder) catalog(entries map[string]any) {
	more := map[string]any{}
	b.set(more, "fleet", "catalog")
	kinds, _ := more["catalog"].(map[string]any)
	for kind, list := range kinds {
		known, ok := entries[kind].(map[string]any)
		if added, also := list.(map[string]any); ok && also {
			maps.Copy(known, added)
		} else {
			entries[kind] = list
		}
	}
}

// dirs are the directories of values files.
var dirs = []string{"", "", "site/", "site/rack/", "other/"}

func (b *builder) valuesFile() {
	name := fmt.Sprintf("%sf%d.%s", pick(b.draw, dirs), len(b.fleet.Files), pick(b.draw, []string{"yaml", "yaml", "yml"}))
	for range 1 + b.IntN(8)/7 {
		document := map[string]any{"vms": b.vms()}
		if b.one(4) {
			document["defaults"] = b.shared(b.IntN(4)/3, 1+b.IntN(2))
		}
		for _, key := range []string{"vars", "namespace"} {
			if b.one(5) {
				b.set(document, "vms", key)
			}
		}
		if b.slip() {
			document[pick(b.draw, []string{"vm", "vms", "defaults", "os"})] = clone(pick(b.draw, b.Odd))
		}
		b.fleet.Files[name] = append(b.fleet.Files[name], document)
	}
}

func (b *builder) vms() map[string]any {
	vms := map[string]any{}
	for range 1 + b.IntN(3) {
		name := fmt.Sprintf("%s%d", pick(b.draw, []string{"web", "db-", "a", "vm-with-a-long-name-"}), len(b.names))
		switch {
		case b.one(200) && len(b.names) > 0:
			name = pick(b.draw, b.names)
		case b.slip():
			name = fmt.Sprint(pick(b.draw, b.Odd))
		}
		vm := b.vm(b.IntN(3)/2+b.IntN(2), b.IntN(4))
		if len(b.names) > 0 && b.one(6) {
			vm[pick(b.draw, []string{"dependsOn", "dependsOn" + plus})] = []any{pick(b.draw, b.names)}
		}
		b.token(name, vm)
		b.names = append(b.names, name)
		vms[name] = vm
	}
	return vms
}

// token writes the token that is for a VM alone into some restores.
func (b *builder) token(name string, vm map[string]any) {
	if vm["restoreFrom"] == nil || b.one(2) {
		return
	}
	const namespace, snapshot = "prod", "before"
	vm["namespace"] = namespace
	vm["restoreFrom"] = map[string]any{
		"snapshot": snapshot, "token": approval.RestoreToken(1, namespace, name, snapshot),
	}
}

// vm returns a VM, or what a level sets, of some parts and some other keys.
func (b *builder) vm(parts, keys int) map[string]any {
	out := map[string]any{}
	s := form{b.definitions["VM"], "VM"}
	for range keys {
		merge(out, b.object(s, 1))
	}
	set := map[string]any{}
	for _, part := range some(b.draw, b.Parts, parts) {
		if !overlap(set, part) {
			maps.Copy(set, part)
			merge(out, clone(part))
		}
	}
	b.appended(s.shape, s.name, out)
	return out
}

// appended turns some lists of VM keys into lists that are appended.
func (b *builder) appended(s *shape, name string, value any) {
	keys, ok := value.(map[string]any)
	if !ok {
		return
	}
	for _, f := range b.alternatives(s, name) {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			of := cmp.Or(f.Properties[key], f.Entries)
			if of == nil {
				continue
			}
			b.appended(of, f.name+"."+key, keys[key])
			list, isList := keys[key].([]any)
			if f.Properties[key+plus] != nil && isList && b.one(4) {
				delete(keys, key)
				keys[key+plus] = list
			}
		}
	}
}

// plus is the end of a key that appends to the inherited list.
const plus = "+"

// shared returns what a level sets that many VMs inherit, except what is for one VM.
func (b *builder) shared(parts, keys int) map[string]any {
	out := b.vm(parts, keys)
	delete(out, "approve")
	delete(out, "restoreFrom")
	return out
}

func overlap(a, b map[string]any) bool {
	for key := range a {
		if _, both := b[key]; both {
			return true
		}
	}
	return false
}

func (b *builder) defaults() {
	for _, dir := range dirs[1:] {
		if b.one(6) {
			b.fleet.Files[dir+defaultsFile] = []any{b.shared(b.IntN(4)/3, 1)}
		}
	}
}

// overlayFile is hidden, so that it is not a values file of the fleet.
const overlayFile = ".stage.yaml"

func (b *builder) overlay() {
	if !b.one(5) {
		return
	}
	document := map[string]any{"defaults": b.shared(0, 1)}
	fleets := []string{
		"target", "identity", "placement", "policy", "vars", "catalog",
		"apiVersion", "kind", "metadata", "ignore", "allowEmpty",
	}
	for _, key := range some(b.draw, fleets, b.IntN(3)) {
		b.set(document, "fleet", key)
	}
	own := []string{"environment", "namespaces", "namespacePrefix", "namespaceSuffix"}
	for _, key := range some(b.draw, own, b.IntN(3)) {
		b.set(document, "overlay", key)
	}
	if b.one(2) {
		document["every"] = b.shared(0, 1)
	}
	if b.one(2) {
		document["vms"] = map[string]any{pick(b.draw, b.names): b.vm(0, 1)}
	}
	b.fleet.Files[overlayFile] = []any{document}
	b.fleet.Args = append(b.fleet.Args, "--overlay="+overlayFile)
}

func (b *builder) args() {
	for _, arg := range []string{"--set=domain=stage.example.org", "--default=cpu=2", "--namespace=lab"} {
		if b.one(12) {
			b.fleet.Args = append(b.fleet.Args, arg)
		}
	}
}

// Keys returns every key of the schemas, as DEFINITION.KEY, sorted.
func Keys() []string { return readSources().keys() }

// Keys adds the keys that the fleet sets, as DEFINITION.KEY.
func (f Fleet) Keys(seen map[string]bool) {
	s := readSources()
	for name, documents := range f.Files {
		kind := kindOf(name)
		for _, d := range documents {
			s.used(s.kinds[kind], owner(kind), d, seen)
		}
	}
}
