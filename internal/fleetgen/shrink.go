package fleetgen

import (
	"maps"
	"slices"
)

// Shrink returns the smallest fleet that it finds for which fails still reports
// true: without the arguments, files, keys and items that do not matter.
func (f Fleet) Shrink(fails func(Fleet) bool) Fleet {
	for {
		less := f.smaller(fails)
		if less.String() == f.String() {
			return f
		}
		f = less
	}
}

// smaller tries to leave out each part once.
func (f Fleet) smaller(fails func(Fleet) bool) Fleet {
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		if less := f.with(name, nil); fails(less) {
			f = less
			continue
		}
		documents := smaller(f.Files[name], func(tree any) bool { return fails(f.with(name, tree.([]any))) })
		f = f.with(name, documents.([]any))
	}
	for _, arg := range f.Args {
		less := f
		less.Args = slices.DeleteFunc(slices.Clone(f.Args), func(a string) bool { return a == arg })
		if fails(less) {
			f = less
		}
	}
	return f
}

// with returns the fleet with other documents in a file, or without the file.
func (f Fleet) with(name string, documents []any) Fleet {
	f.Files = maps.Clone(f.Files)
	f.Files[name] = documents
	if len(documents) == 0 {
		delete(f.Files, name)
	}
	return f
}

// smaller returns a tree without the keys and items that do not matter, the largest
// parts first.
func smaller(tree any, fails func(any) bool) any {
	switch t := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			less := maps.Clone(t)
			if delete(less, key); fails(less) {
				t = less
			}
		}
		for key, below := range t {
			t[key] = smaller(below, func(value any) bool {
				less := maps.Clone(t)
				less[key] = value
				return fails(less)
			})
		}
		return t
	case []any:
		for i := range slices.Backward(t) {
			if less := slices.Delete(slices.Clone(t), i, i+1); fails(less) {
				t = less
			}
		}
		t = slices.Clone(t)
		for i, below := range t {
			t[i] = smaller(below, func(value any) bool {
				less := slices.Clone(t)
				less[i] = value
				return fails(less)
			})
		}
		return t
	}
	return tree
}
