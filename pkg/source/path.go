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

// trail is a path under construction. It is converted to a string only for a
// diagnostic, so that descending into a tree costs nothing.
type trail []step

type step struct {
	key   string
	index int // of a list item; -1 for a map key
}

func (t *trail) pushKey(key string) { *t = append(*t, step{key, -1}) }
func (t *trail) pushIndex(i int)    { *t = append(*t, step{"", i}) }
func (t *trail) pop()               { *t = (*t)[:len(*t)-1] }

// under returns the trail as a path below root.
func (t trail) under(root string) string {
	for _, s := range t {
		if s.index >= 0 {
			root = IndexPath(root, s.index)
		} else {
			root = JoinPath(root, s.key)
		}
	}
	return root
}
