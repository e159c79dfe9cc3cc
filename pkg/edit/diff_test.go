package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"{a: 1}", "{a: 1}", ""},
		{"{a: 1, b: x}", "{b: 'x', a: +1}", ""}, // neither order nor style counts
		{"{a: 1}", "{a: '1'}", "[a] = '1'\n"},
		{"{a: {b: 1, c: 2, e: {f: 1}}}", "{a: {c: 3, d: 4, e: {f: 1}}}", "[a, b]\n[a, c] = 3\n[a, d] = 4\n"},
		{"{a: [1, 2]}", "{a: [1, 3]}", "[a] = [1, 3]\n"},
		{"{a: {b: 1}, c: 1}", "{a: 1, c: {b: 1}}", "[a] = 1\n[c] = {b: 1}\n"},
		{"{a: null}", "{b: null}", "[a]\n[b] = null\n"},
		{"", "{a: {b: 1}}", "[a] = {b: 1}\n"},
		{"{a: {b: 1}}", "{}", "[a]\n"},
		{"{a: {b: 1}}", "{a: {}}", "[a, b]\n"},
	} {
		from, to := parse(t, c.from)[0], parse(t, c.to)[0]
		want := changesOf(t, c.want)
		got := edit.Diff(from, to)
		require.Len(t, got, len(want), c.to)
		for i := range want {
			require.Equal(t, want[i].Path, got[i].Path)
			require.Equal(t, source.AppendJSON(nil, want[i].Value), source.AppendJSON(nil, got[i].Value))
		}
		// The changes give the one text the meaning of the other.
		after, err := edit.Apply(name, []byte(c.from), got...)
		require.NoError(t, err)
		require.Empty(t, edit.Diff(to, parse(t, string(after))[0]))
	}
	require.Empty(t, edit.Diff(nil, nil))
	require.Len(t, edit.Diff(nil, parse(t, "{a: 1}")[0]), 1)
	require.Equal(t, []edit.Change{{Path: []string{"a"}}}, edit.Diff(parse(t, "{a: 1}")[0], nil))
}
