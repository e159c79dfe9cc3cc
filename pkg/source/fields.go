package source

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/vmrender/vmrender/pkg/rule"
)

// smallMap is the largest number of keys that are searched for duplicates without an
// index.
const smallMap = 16

// fieldSet collects the fields of a map under distinct keys.
type fieldSet struct {
	list  []Field
	index map[string]int // nil while the map is small
}

func (s *fieldSet) find(key string) *Field {
	if s.index != nil {
		if i, ok := s.index[key]; ok {
			return &s.list[i]
		}
		return nil
	}
	for i := range s.list {
		if s.list[i].Key == key {
			return &s.list[i]
		}
	}
	return nil
}

func (s *fieldSet) add(f Field) {
	s.list = append(s.list, f)
	switch {
	case s.index != nil:
		s.index[f.Key] = len(s.list) - 1
	case len(s.list) > smallMap:
		s.index = make(map[string]int, 2*len(s.list))
		for i := range s.list {
			s.index[s.list[i].Key] = i
		}
	}
}

// fields converts the keys and values of a map. The map's own keys override those of
// merged maps; keys that only the merged maps have come last.
func (c *converter) fields(content []*yaml.Node) []Field {
	var set fieldSet
	var merge *yaml.Node
	for i := 0; i+1 < len(content); i += 2 {
		key, value := content[i], content[i+1]
		switch {
		case key.Tag != "!!merge":
			c.field(&set, key, value)
		case merge != nil:
			c.errorf(key, rule.DuplicateKey, `duplicate key "<<"; give one list of maps`)
		default:
			merge = value
		}
	}
	if merge != nil {
		c.merge(&set, merge)
	}
	return set.list
}

func (c *converter) field(set *fieldSet, key, value *yaml.Node) {
	name, ok := c.key(key)
	if !ok {
		return
	}
	c.trail.PushKey(name)
	defer c.trail.Pop()
	f := Field{Key: name, Line: int32(key.Line + c.before), Col: int32(key.Column)}
	if first := set.find(name); first != nil {
		at := pos(c.file, first.Line, first.Col)
		c.errorf(key, rule.DuplicateKey, "duplicate key %q; it is first set at %s", name, at)
		return
	}
	if f.Value = c.convert(value); f.Value != nil {
		set.add(f)
	}
}

// key returns the text of a key, which must be a string or an alias of one. It reports
// any other key.
func (c *converter) key(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode {
		kind := map[yaml.Kind]string{yaml.MappingNode: "a map", yaml.SequenceNode: "a list"}[n.Kind]
		c.errorf(n, rule.KeyType, "a key must be a string, not %s", kind)
		return "", false
	}
	node := c.convert(n)
	if node == nil {
		return "", false
	}
	if c.marked[spot{n.Line + c.before, n.Column}] {
		c.errorf(n, rule.KeyType, `within braces, a key that starts with "?" must be quoted: %q`, "?"+node.Text)
		return "", false
	}
	if problem := keyProblem(node); problem != "" {
		c.errorf(n, rule.KeyType, "%s", problem)
		return "", false
	}
	return node.Text, true
}

// keyProblem returns what is wrong with a key, or "" if nothing is. A key that only
// YAML 1.1 reads as something else, such as y or 2026-01-02, is accepted: a key is
// meant as a string.
func keyProblem(n *Node) string {
	switch {
	case n.Kind == String:
		return ""
	case n.Kind == Map || n.Kind == List:
		return "a key must be a string, not " + kindName(n.Kind)
	case n.Text == "":
		return "the key is missing"
	}
	return fmt.Sprintf("the key %s is %s; quote it: %q", n.Text, kindName(n.Kind), n.Text)
}

// template reports whether a flow map is an unquoted template: a map whose first key is
// a map, with both braces next to each other.
func (c *converter) template(n *yaml.Node) bool {
	if len(n.Content) == 0 {
		return false
	}
	key := n.Content[0]
	return n.Style&yaml.FlowStyle != 0 && key.Kind == yaml.MappingNode && key.Style == yaml.FlowStyle &&
		key.Anchor == "" && key.Line == n.Line && key.Column == n.Column+1
}

var markedKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[{\[,]\s*\?[^\s,\]}]`)
})

// markedKeys returns the places where a "?" may be the first character of a key within
// braces. The YAML library reads it as the mark of a key and drops it; YAML 1.2 requires a
// space after that mark. line and column count from 1.
func markedKeys(text string) map[spot]bool {
	if !strings.Contains(text, "?") {
		return nil
	}
	places := map[spot]bool{}
	at, done := spot{1, 1}, 0
	for _, m := range markedKey().FindAllStringIndex(text, -1) {
		_, size := utf8.DecodeLastRuneInString(text[:m[1]])
		at = at.after(text[done : m[1]-size])
		done = m[1] - size
		places[at] = true
	}
	return places
}

// merge adds the keys that are not set yet, from a map or from a list of maps, of which
// the first wins.
func (c *converter) merge(set *fieldSet, n *yaml.Node) {
	c.trail.PushKey("<<")
	defer c.trail.Pop()
	from := c.convert(n)
	if from == nil {
		return
	}
	sources := []*Node{from}
	if from.Kind == List {
		sources = from.Items
	}
	for _, s := range sources {
		if s.Kind != Map {
			c.errorf(n, rule.WrongType, `"<<" merges a map or a list of maps, not %s`, kindName(s.Kind))
			return
		}
		for _, f := range s.Fields {
			if set.find(f.Key) == nil {
				set.add(f)
			}
		}
	}
}

// kindName returns the name of a kind in diagnostics.
func kindName(k Kind) string {
	return [...]string{
		Null: "null", Bool: "a boolean", Int: "a number", Float: "a number", String: "a string",
		Map: "a map", List: "a list", Unread: "a value",
	}[k]
}
