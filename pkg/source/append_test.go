package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestComposeAppends(t *testing.T) {
	for _, c := range []struct{ name, base, over, want string }{
		{"to a list", "{l: [a]}", "{l: [b]}", `{"l":["a","b"]}`},
		{"to nothing", "{m: 1}", "{l: [b]}", `{"m":1,"l":["b"]}`},
		{"to what was removed", "{l: null}", "{l: [b]}", `{"l":["b"]}`},
		{"what is there", "{l: [a, {a: 1}]}", "{l: [{a: 1}, a]}", `{"l":["a",{"a":1},{"a":1},"a"]}`},
		{"nothing", "{l: [a]}", "{l: []}", `{"l":["a"]}`},
		{"to no list", "{l: a}", "{l: [b]}", `{"l":["b"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, over := parse(t, c.base), parse(t, c.over)
			over.Get("l").Style = Appended
			before := AppendJSON(AppendJSON(nil, base), over)
			require.Equal(t, c.want, string(AppendJSON(nil, Compose(base, over))))
			require.Equal(t, string(before), string(AppendJSON(AppendJSON(nil, base), over)), "arguments changed")
		})
	}
}

// Levels are composed in any grouping, such as those that VMs share first.
func TestComposeAppendsInAnyGrouping(t *testing.T) {
	base, middle, top := parse(t, "{l: [a]}"), parse(t, "{l: [b]}"), parse(t, "{l: [c]}")
	middle.Get("l").Style, top.Get("l").Style = Appended, Appended
	want := `{"l":["a","b","c"]}`
	require.Equal(t, want, string(AppendJSON(nil, Compose(Compose(base, middle), top))))
	require.Equal(t, want, string(AppendJSON(nil, Compose(base, Compose(middle, top)))))

	removed := parse(t, "{l: null}")
	want = `{"l":["c"]}`
	require.Equal(t, want, string(AppendJSON(nil, Compose(base, Compose(removed, top)))))
}

func TestComposeAppendsKeepsPositions(t *testing.T) {
	base, over := parse(t, "l: [a]"), parse(t, "\n\nl: [b]")
	over.Get("l").Style = Appended
	list := Compose(base, over).Get("l")
	require.EqualValues(t, 1, list.Items[0].Line)
	require.EqualValues(t, 3, list.Items[1].Line)
	require.EqualValues(t, 3, list.Line)
}

func TestPlus(t *testing.T) {
	for text, want := range map[string]bool{
		"a: {b: {c+: [1]}}":            true,
		"a:\n  b:\n    c+: [1]\n":      true,
		`{"c+": 1}`:                    true,
		"c+ : [1]":                     true,
		"? c+\n: [1]":                  true,
		`"c\x2b": [1]`:                 true,
		"a: &x {c+: [1]}\nb: *x":       true,
		"a: {<<: {c+: [1]}}":           true,
		"a: {b: c+}":                   false,
		"a: [{c+: 1}]":                 false,
		"a+b: +1\nc: ssh-ed25519 AA+=": false,
	} {
		require.Equal(t, want, parse(t, text).Plus, text)
	}
}
