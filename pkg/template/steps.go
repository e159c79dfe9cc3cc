package template

import (
	"slices"
	"strconv"
	"text/template"
	"text/template/parse"
)

// stepFunc is called at the start of every iteration of a loop and of every
// called template, with the cost of the iteration or call. Users cannot call
// it, because it is not defined when their templates are parsed.
const stepFunc = "vmrenderStep"

// comparisons are built-in functions that read long strings to their ends, and
// cannot be metered from outside: each is charged as comparisonParts parts.
var comparisons = []string{"eq", "ge", "gt", "le", "lt", "ne"}

const comparisonParts = 32

// callParts is the number of parts charged for calling a template, in addition
// to its content: nested calls also take memory.
const callParts = 8

// steps lists the parts of a template that can make its execution long.
type steps struct {
	calls   map[string]bool // names of the hermetic functions that it calls
	repeats bool            // whether it has loops or calls templates
	parts   int             // of all templates, without repetitions
}

// countSteps adds calls of stepFunc to a parsed template.
func countSteps(t *template.Template) *steps {
	s := &steps{calls: map[string]bool{}}
	counts := map[*parse.ListNode]int{}
	for _, named := range t.Templates() {
		counts[named.Root] = s.list(named.Root)
		s.parts += counts[named.Root]
	}
	if s.repeats {
		for root, n := range counts {
			pay(root, n+callParts)
		}
	}
	return s
}

// metered reports whether the execution must be metered.
func (s *steps) metered() bool { return s.repeats || len(s.calls) > 0 }

// pay charges for n parts at the start of a list, each time it is executed.
func pay(l *parse.ListNode, n int) {
	l.Nodes = append([]parse.Node{stepNode((n + 1) * nodeWork)}, l.Nodes...)
}

// list returns the number of parts of a list, including nested ones.
func (s *steps) list(l *parse.ListNode) int {
	if l == nil {
		return 0
	}
	n := 0
	for _, part := range l.Nodes {
		n += s.node(part)
	}
	return n
}

func (s *steps) node(n parse.Node) int {
	switch n := n.(type) {
	case *parse.ActionNode:
		return 1 + s.pipe(n.Pipe)
	case *parse.IfNode:
		return 1 + s.pipe(n.Pipe) + s.list(n.List) + s.list(n.ElseList)
	case *parse.WithNode:
		return 1 + s.pipe(n.Pipe) + s.list(n.List) + s.list(n.ElseList)
	case *parse.RangeNode:
		s.repeats = true
		body := s.list(n.List)
		pay(n.List, body)
		return 1 + s.pipe(n.Pipe) + body + s.list(n.ElseList)
	case *parse.TemplateNode:
		s.repeats = true
		return 1 + s.pipe(n.Pipe)
	case *parse.PipeNode:
		return s.pipe(n)
	case *parse.ChainNode:
		return 1 + s.node(n.Node)
	case *parse.IdentifierNode:
		if slices.Contains(comparisons, n.Ident) {
			return comparisonParts
		}
		if _, ok := hermetic()[n.Ident]; ok {
			s.calls[n.Ident] = true
		}
	}
	return 1
}

func (s *steps) pipe(p *parse.PipeNode) int {
	if p == nil {
		return 0
	}
	n := len(p.Decl)
	for _, cmd := range p.Cmds {
		for _, arg := range cmd.Args {
			n += s.node(arg)
		}
	}
	return n
}

// stepNode returns a call of stepFunc as the parser would produce it.
func stepNode(work int) parse.Node {
	number := &parse.NumberNode{NodeType: parse.NodeNumber, IsInt: true, Int64: int64(work), Text: strconv.Itoa(work)}
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier(stepFunc), number}}
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{call}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pipe: pipe}
}
