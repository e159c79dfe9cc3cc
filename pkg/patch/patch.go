// Package patch applies JSON patches (RFC 6902) to rendered objects: a VM's `patches`
// and those of a platform layer. For merge patches (RFC 7386), see [source.Merge].
package patch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Operation is one RFC 6902 operation.
type Operation struct {
	// Name of the operation.
	Op string `json:"op" required:"true" enum:"add,remove,replace,move,copy,test"`
	// JSON pointer (RFC 6901) to the value to change, such as `/metadata/labels/team`.
	Path string `json:"path" required:"true"`
	// JSON pointer to the value that move and copy use.
	From string `json:"from,omitempty"`
	// Value for add, replace and test.
	Value *source.Node `json:"value,omitempty"`
	// Pos is the position of the operation; zero if it was not read from a file.
	Pos source.Pos `json:"-"`
}

// Error is the error for an operation that cannot be applied.
type Error struct {
	Operation *Operation
	Problem   string // and what is accepted; never the operation's value, which may be secret
}

func (e *Error) Error() string { return e.Operation.String() + ": " + e.Problem }

// String returns the operation for messages, without its value, which may be secret.
func (o *Operation) String() string {
	text := strconv.Quote(o.Path)
	if operations[o.Op].takesFrom && o.From != "" {
		text = strconv.Quote(o.From) + " to " + text
	}
	return strings.TrimSpace(o.Op + " " + text)
}

// DecodeNode reads an operation, and reports one that is invalid for every document.
func (o *Operation) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	o.DecodeInto(o, n, path, diags)
}

// DecodeInto works like DecodeNode, for a struct that adds keys to an embedded
// operation; into points to that struct. After an error the operation has no Op, so
// that [Operation.Check] fails.
func (o *Operation) DecodeInto(into any, n *source.Node, path source.Path, diags *source.Diagnostics) {
	var found source.Diagnostics
	source.DecodeFields(n, into, path, &found)
	o.Pos = n.Pos()
	if err := o.Check(); err != nil && !found.HasErrors() {
		found.Errorf(o.Pos, rule.Patch, path.String(), "%v", err)
	}
	if found.HasErrors() {
		o.Op = ""
	}
	diags.Merge(&found)
}

// Check returns an [Error] for an operation that is invalid for every document,
// such as an `add` without a value, or nil if there is none.
func (o *Operation) Check() error {
	if problem := o.problem(); problem != nil {
		return &Error{o, problem.Error()}
	}
	return nil
}

func (o *Operation) problem() error {
	switch op, known := operations[o.Op]; {
	case o.Op == "":
		return errors.New("missing key \"op\"")
	case !known:
		return fmt.Errorf("unknown operation %q; %s", o.Op, suggest.DidYouMean(o.Op, slices.Collect(maps.Keys(operations))))
	case op.takesFrom && o.From == "":
		return errors.New("missing key \"from\"; expected the path to take the value from")
	case op.takesValue && o.Value == nil:
		return errors.New("missing key \"value\"; to remove a key, use `op: remove`")
	}
	_, badPath := parse(o.Path)
	_, badFrom := parse(o.From)
	return cmp.Or(badPath, badFrom)
}
