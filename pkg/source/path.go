package source

import (
	"strconv"
	"strings"
)

// JoinPath returns the path of the entry key of the map at path, such as
// "vms.web01"; a key that is not a simple word is quoted: labels["app.io/part"].
func JoinPath(path, key string) string {
	if !simpleKey(key) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// IndexPath returns the path of item i, counted from 0, of the list at path, such as "nics[0]".
func IndexPath(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

func simpleKey(key string) bool {
	return key != "" && !strings.ContainsAny(key, ".[]\" \t\n\r")
}

// Trail is a path under construction. It is converted to a string only for a
// diagnostic, so that descending into a tree costs nothing.
type Trail []step

type step struct {
	key   string
	index int // of a list item; -1 for a map key
}

// PushKey descends to the entry of a map.
func (t *Trail) PushKey(key string) { *t = append(*t, step{key, -1}) }

// PushIndex descends to item i, counted from 0, of a list.
func (t *Trail) PushIndex(i int) { *t = append(*t, step{"", i}) }

// Path is the path of a value, which is converted to a string only for a diagnostic. It is valid
// until the method that it is passed to returns.
type Path struct {
	root  string
	trail Trail
}

// String returns the path as in diagnostics, such as "vms.web01.nics[0]".
func (p Path) String() string { return p.trail.Under(p.root) }

// Pop ascends.
func (t *Trail) Pop() { *t = (*t)[:len(*t)-1] }

// Under returns the trail as a path below root.
func (t Trail) Under(root string) string {
	for _, s := range t {
		if s.index >= 0 {
			root = IndexPath(root, s.index)
		} else {
			root = JoinPath(root, s.key)
		}
	}
	return root
}
