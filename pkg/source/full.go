package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vmrender/vmrender/pkg/rule"
)

// These constants limit how large aliases may make a document. Without a limit, a few
// lines of nested aliases expand to billions of values.
const (
	expansionFactor = 100
	expansionFree   = 10_000
	expansionMost   = 5_000_000
)

// maxBroken is the maximum number of documents with syntax errors that are read. No user
// needs a longer list of mistakes.
const maxBroken = 100

// parseFull reads a text with the general YAML parser. After a syntax error it
// continues with the next document, so no part of the text is read twice.
func parseFull(file *File, text string, diags *Diagnostics) []*Node {
	var docs []*Node
	first, broken := 0, 0 // lines before text; documents with syntax errors
	text = acceptable(text)
	marked := markedKeys(text)
	for {
		nodes, failed := decodeAll(text)
		for _, n := range nodes {
			c := converter{file: file, diags: diags, before: first, anchors: map[*yaml.Node]anchored{}, marked: marked}
			if doc := c.convert(n.Content[0]); doc != nil {
				docs = append(docs, doc)
			}
		}
		if failed == nil {
			break
		}
		reportSyntax(file, text, first, failed, diags)
		next := nextDocument(text, failed.at)
		if next < 0 {
			return docs
		}
		first += strings.Count(text[:next], "\n")
		text = text[next:]
		if broken++; broken == maxBroken {
			diags.Errorf(Pos{file.Name, first + 1, 1}, rule.YAMLSyntax, "",
				"%d documents before are not valid YAML; the rest of the file is not read", broken)
			return docs
		}
	}
	if len(docs) == 0 && !diags.HasErrors() {
		docs = []*Node{{Line: 1, Col: 1, File: file}}
	}
	return docs
}

// decodeAll returns the documents before the first syntax error, and that error.
func decodeAll(text string) (nodes []*yaml.Node, failed *failure) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	// The library reports its own inconsistencies by panicking.
	defer func() {
		if p := recover(); p != nil {
			failed = newFailure(decoder, text, fmt.Errorf("yaml: %v", p))
		}
	}()
	for {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case errors.Is(err, io.EOF):
			return nodes, nil
		case err != nil:
			return nodes, newFailure(decoder, text, err)
		}
		nodes = append(nodes, &n)
	}
}

// nextDocument returns the offset of the first line "---" at or after an offset, but not
// at the start of the text, or -1.
func nextDocument(text string, at int) int {
	for at = max(0, at-1); ; {
		i := strings.Index(text[at:], "\n---")
		if i < 0 {
			return -1
		}
		at += i + 1
		if isMarker(text, at) {
			return at
		}
	}
}

// converter converts one document of the YAML library to nodes.
type converter struct {
	file   *File
	diags  *Diagnostics
	before int           // lines of the file before the parsed text
	marked map[spot]bool // of [markedKeys], in the file
	trail  Trail

	anchors  map[*yaml.Node]anchored
	depth    int // of the node being converted
	deepest  int // since the enclosing anchor
	written  int // nodes as written
	expanded int // nodes with aliases followed
	stopped  bool
}

// anchored is the result of converting a node with an anchor. Its node is nil during
// the conversion, and if the conversion failed.
type anchored struct {
	node   *Node
	done   bool
	nodes  int // in it, with aliases followed
	height int
}

func (c *converter) errorf(n *yaml.Node, id rule.ID, format string, args ...any) {
	pos := Pos{File: c.file.Name, Line: n.Line + c.before, Col: n.Column}
	c.diags.Errorf(pos, id, c.trail.Under(""), format, args...)
}

// convert returns nil if it reported an error.
func (c *converter) convert(n *yaml.Node) *Node {
	if c.stopped {
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return c.alias(n)
	}
	c.written++
	c.expanded++
	if n.Anchor == "" {
		return c.value(n)
	}
	outer, nodes := c.deepest, c.expanded-1
	c.deepest = c.depth
	c.anchors[n] = anchored{}
	node := c.value(n)
	c.anchors[n] = anchored{node, true, c.expanded - nodes, c.deepest - c.depth}
	c.deepest = max(outer, c.deepest)
	return node
}

func (c *converter) value(n *yaml.Node) *Node {
	node := &Node{Line: int32(n.Line + c.before), Col: int32(n.Column), File: c.file}
	if n.Kind == yaml.ScalarNode {
		return c.scalar(n, node)
	}
	if n.Kind == yaml.MappingNode && c.template(n) {
		problem := needsQuotes
		if in := n.Content[0].Content; len(in) > 0 && templateLine().MatchString("{{"+in[0].Value) {
			problem = notTemplate
		}
		c.errorf(n, rule.KeyType, "%s", problem)
		return nil
	}
	if c.depth >= MaxDepth {
		const shown = 4 // steps; all of them would be a long line
		trail := c.trail
		c.trail = trail[:min(shown, len(trail))]
		c.errorf(n, rule.Depth, "maps and lists are nested deeper than %d levels", MaxDepth)
		c.trail = trail
		return nil
	}
	if !c.checkTag(n, "!!map", "!!seq") {
		return nil
	}
	c.depth++
	c.deepest = max(c.deepest, c.depth)
	if n.Kind == yaml.MappingNode {
		node.Kind = Map
		node.Fields = c.fields(n.Content)
		for i := range node.Fields {
			node.noteKey(&node.Fields[i])
		}
	} else {
		node.Kind = List
		node.Items = c.items(n.Content)
	}
	c.depth--
	return node
}

func (c *converter) items(content []*yaml.Node) []*Node {
	var items []*Node // nil when empty, as everywhere
	for i, n := range content {
		c.trail.PushIndex(i)
		if item := c.convert(n); item != nil {
			items = append(items, item)
		}
		c.trail.Pop()
	}
	return items
}

func (c *converter) alias(n *yaml.Node) *Node {
	target, ok := c.anchors[n.Alias]
	switch {
	case !ok:
		c.errorf(n, rule.Anchor,
			"the anchor %q belongs to another document; an alias must follow its anchor in the same document", n.Value)
	case !target.done:
		c.errorf(n, rule.Anchor, "the alias %q stands inside its own anchor", n.Value)
	case c.depth+target.height > MaxDepth:
		c.errorf(n, rule.Depth, "the alias %q nests maps and lists deeper than %d levels", n.Value, MaxDepth)
	case !c.expand(target.nodes):
		c.errorf(n, rule.Expansion, "aliases make the document more than %d times larger than it is written", expansionFactor)
		c.stopped = true
	default:
		c.deepest = max(c.deepest, c.depth+target.height)
		return target.node
	}
	return nil
}

// expand counts the nodes that an alias adds, and reports whether they are within the
// limits.
func (c *converter) expand(nodes int) bool {
	c.expanded += nodes
	return c.expanded <= c.written+min(expansionFactor*c.written+expansionFree, expansionMost)
}

var kindOfTag = map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Int, "!!float": Float, "!!str": String}

func (c *converter) scalar(n *yaml.Node, node *Node) *Node {
	node.Text = n.Value
	node.Style = styleOf(n.Style)
	if n.Style&yaml.TaggedStyle == 0 {
		node.Kind = String
		if node.Style == Plain {
			node.Kind = resolvePlain(n.Value)
		}
		return node
	}
	if !c.checkTag(n, "!!null", "!!bool", "!!int", "!!float", "!!str") {
		return nil
	}
	kind, means := kindOfTag[n.Tag], resolvePlain(n.Value)
	if kind != String && kind != means && !(kind == Float && means == Int) {
		c.errorf(n, rule.Tag, "the value does not fit its tag %s", n.Tag)
		return nil
	}
	node.Kind = kind
	if kind == String && node.Style == Plain {
		node.Style = DoubleQuoted // the tag means the same as quotes
	}
	return node
}

func styleOf(s yaml.Style) Style {
	switch {
	case s&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case s&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case s&yaml.LiteralStyle != 0:
		return Literal
	case s&yaml.FoldedStyle != 0:
		return Folded
	}
	return Plain
}

// checkTag adds an error if a node has none of the given tags, and reports whether it
// has one.
func (c *converter) checkTag(n *yaml.Node, accepted ...string) bool {
	if slices.Contains(accepted, n.Tag) {
		return true
	}
	c.errorf(n, rule.Tag, "the tag %s is not accepted; write the value without a tag", cmp.Or(n.Tag, "!"))
	return false
}
