package adopt

import "github.com/vmrender/vmrender/pkg/manifest"

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// at returns the value at a path in a tree, or nil. A segment in brackets names the
// entry of a list.
func at(v any, path ...string) any { return manifest.At(v, path...) }

// text returns the string at a path, or "".
func text(v any, path ...string) string { return manifest.Text(v, path...) }

// list returns the list at a path, or nil.
func list(v any, path ...string) []any { return manifest.List(v, path...) }

// object returns the tree at a path, or nil.
func object(v any, path ...string) tree { return manifest.Map(v, path...) }
