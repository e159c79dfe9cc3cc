package fleet

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// decode reads the merged keys. What is not understood leaves the other keys as
// they are, except that it may be what is found missing.
func (s *subject) decode() {
	var found source.Diagnostics
	source.Decode(s.node, &s.vm, s.path, &found)
	s.diags.Merge(&found)
	s.inDoubt = s.inDoubt || found.HasErrors()
	if found.HasErrorsBut("unknown-key") {
		for _, p := range found.Sorted() {
			if p.Rule != "unknown-key" && p.Rule != "missing-key" {
				s.misreads(strings.TrimPrefix(p.Path, s.path+"."))
			}
		}
	}
}

// misreads keeps the VM key at a path from being complained about again.
func (s *subject) misreads(path string) {
	if s.misread == nil {
		s.misread = map[string]bool{}
	}
	s.misread[topKey(path)] = true
}

// errorf reports a problem at pos, under a path beneath the VM's.
func (s *subject) errorf(pos source.Pos, rule, path, format string, args ...any) {
	misread := s.misread[topKey(path)] || s.node != nil && s.node.Kind != source.Map
	if misread || s.inDoubt && rule == "missing-key" {
		return
	}
	if path != "" {
		path = "." + path
	}
	s.diags.Errorf(pos, rule, s.path+path, format, args...)
}

// at is where the value under keys was written; the VM's name where it was not.
func (s *subject) at(keys ...string) source.Pos {
	n := s.node.Get(keys...)
	if n == nil || !s.written(n) {
		return s.key
	}
	return n.Pos()
}

// keyAt is where the last of the keys was written; the VM's name where it was not.
func (s *subject) keyAt(keys ...string) source.Pos {
	last := len(keys) - 1
	f := s.node.Get(keys[:last]...).Field(keys[last])
	if f == nil || !s.written(f.Value) {
		return s.key
	}
	return f.Pos()
}

// written tells what stands in the user's files and options from what the catalogue brings:
// built-in values, and the disk that is made for an operating system's image.
func (s *subject) written(n *source.Node) bool {
	p := n.Pos()
	return (p.Line > 0 || p.File == defaultOption) && !catalog.IsBuiltin(p) && p != s.os.Node.Pos()
}

// where says a position for use within a message.
func where(p source.Pos) string {
	if catalog.IsBuiltin(p) {
		return p.File
	}
	return p.String()
}
