package patch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Find returns the value that a JSON pointer (RFC 6901) refers to, or nil if there is
// none. It returns an error for an invalid pointer, and for an invalid index of a list.
func Find(tree *source.Node, pointer string) (*source.Node, error) {
	tokens, err := parse(pointer)
	if err != nil {
		return nil, err
	}
	for _, token := range tokens {
		i, err := entry(tree, token)
		if i < 0 {
			return nil, err
		}
		tree = value(tree, i)
	}
	return tree, nil
}

// unescape decodes the two escapes of a pointer in one pass, so that ~01 is ~1.
var unescape = strings.NewReplacer("~0", "~", "~1", "/")

// parse splits a pointer into keys and indices.
func parse(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil // the whole document
	}
	if pointer[0] != '/' {
		return nil, errors.New(`invalid path; expected one that starts with "/", such as "/metadata/labels/team"`)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		if strings.Count(token, "~") != strings.Count(token, "~0")+strings.Count(token, "~1") {
			return nil, errors.New(`invalid path; expected "~0" for a "~" in a key, and "~1" for a "/"`)
		}
		tokens[i] = unescape.Replace(token)
	}
	return tokens, nil
}

// walk returns the steps from the tree to the value at path, which must exist, and the
// value.
func walk(tree *source.Node, path string) (way []step, end *source.Node, err error) {
	tokens, err := parse(path)
	if err != nil {
		return nil, nil, err
	}
	for depth, token := range tokens {
		i, err := entry(tree, token)
		switch {
		case err != nil:
			return nil, nil, err
		case i < 0:
			return nil, nil, missing(path, depth)
		}
		way = append(way, step{tree, i})
		tree = value(tree, i)
	}
	return way, tree, nil
}

// missing returns the error for a path of which only the first keys exist.
func missing(path string, keys int) error {
	there := strings.Join(strings.Split(path, "/")[:keys+1], "/")
	if there == "" {
		return errors.New("path does not exist")
	}
	return fmt.Errorf("path does not exist; %q does", there)
}

// entry returns the index of the entry of a container that a token refers to, or -1 if
// there is none. It returns an error for an invalid index of a list.
func entry(in *source.Node, token string) (int, error) {
	switch in.Kind {
	case source.Map:
		return slices.IndexFunc(in.Fields, func(f source.Field) bool { return f.Key == token }), nil
	case source.List:
		i, err := index(token)
		if err != nil || i >= len(in.Items) {
			return -1, err
		}
		return i, nil
	}
	return -1, nil
}

// index parses the index of a list item: digits without a leading zero.
func index(token string) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || strconv.Itoa(i) != token {
		return -1, fmt.Errorf("%q is not an index of the list; expected a number from 0", token)
	}
	return i, nil
}

// value returns an entry of a container.
func value(in *source.Node, i int) *source.Node {
	if in.Kind == source.Map {
		return in.Fields[i].Value
	}
	return in.Items[i]
}
