package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// appendTree appends a tree as [Encode] does, without reflection.
func appendTree(dst []byte, t Tree) (_ []byte, err error) {
	keys := make([]string, 0, len(t))
	for key, v := range t {
		if v != nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for _, key := range keys {
		dst = appendKey(dst, key)
		if dst, err = appendValue(dst, t[key]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendValue(dst []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case Tree:
		return appendTree(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendValue(dst, item); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case string:
		return appendString(dst, v), nil
	case json.Number:
		return appendNumber(dst, string(v))
	case bool:
		return strconv.AppendBool(dst, v), nil
	case nil:
		return append(dst, "null"...), nil
	}
	return dst, fmt.Errorf("%T is not a value of JSON", v)
}

// Bytes returns a tree as JSON, as in the result of [Read]; nil if it has other values than those of JSON.
func Bytes(t Tree) []byte {
	text, err := appendTree(nil, t)
	if err != nil {
		return nil
	}
	return text
}
