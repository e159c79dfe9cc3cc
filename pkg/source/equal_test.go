package source

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"{a: 1, b: [x]}", "b: ['x']\na: 1.0\n", true},
		{"{a: 1, b: 2}", "{a: 1}", false},
		{"{a: 1}", "{b: 1}", false},
		{"{a: null}", "{b: null}", false},
		{"{a: }", "{a: ~}", true},
		{"[a, b]", "[b, a]", false},
		{"[1]", "[1, 1]", false},
		{"[]", "{}", false},
		{"null", "{}", false},
		{"True", "true", true},
		{"true", "false", false},
		{"1", "'1'", false},
		{"1.10", "1.1", true},
		{"100", "1e2", true},
		{"-0", "0.0", true},
		{"-1", "1", false},
		{"9007199254740993", "9007199254740992", false},
		{"1e999999999", "10e999999998", true},
		{"|\n  a\n", "\"a\\n\"", true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		require.Equal(t, c.want, a.Equal(b), "%s and %s", c.a, c.b)
		require.Equal(t, c.want, b.Equal(a), "%s and %s", c.b, c.a)
	}
	var missing *Node
	require.True(t, missing.Equal(nil))
	require.False(t, missing.Equal(parse(t, "null")))
	require.False(t, parse(t, "null").Equal(nil))
}

func TestWithout(t *testing.T) {
	n := parse(t, "{a: 1, b: 2, c: 3}")
	require.Equal(t, `{"b":2}`, string(AppendJSON(nil, n.Without("c", "a", "d"))))
	require.Same(t, n, n.Without("d"))
	require.Equal(t, `{"a":1,"b":2,"c":3}`, string(AppendJSON(nil, n)))
	require.Nil(t, (*Node)(nil).Without("a"))
	require.Equal(t, strings.Repeat("x", 3), parse(t, "xxx").Without("a").Text)
}
