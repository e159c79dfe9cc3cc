package pairs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// covered are an object in the cluster, one in Git, and whether the first is known to cover the second.
var covered = []struct {
	live, git string
	is        bool
}{
	{
		`{"a":1,"b":true,"c":"x\n","d":{"e":{}},"l":[{"name":"n","x":1}],"more":null}`,
		`{"c":"x\n","a":1,"b":true,"d":{},"l":[{"name":"n"}]}`, true,
	},
	{`{"\u00e9":"\u2028","b":false}`, `{"é":"\u2028","\u0062":false}`, true},
	{`{"a":1}`, `{}`, true},
	{`{"a":1}`, `{"a":1.0}`, false},
	{`{"a":"1"}`, `{"a":1}`, false},
	{`{"a":1}`, `{"a":null}`, false},
	{`{"a":{}}`, `{"a":[]}`, false},
	{`{"a":[1,2]}`, `{"a":[1]}`, false},
	{`{"a":[1]}`, `{"a":[1,2]}`, false},
	{`{"a":true}`, `{"a":false}`, false},
	{`{"a":{"b":1}}`, `{"a":{"c":1}}`, false},
	{`{"l":[{"name":"y","metadata":{"name":"x"}}]}`, `{"l":[{"metadata":{"name":"x"}}]}`, false},
	{`{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"b"},{"name":"a"}]}`, false},
}

func TestCovers(t *testing.T) {
	for _, c := range covered {
		require.Equal(t, c.is, manifest.Covers(manifest.Decode([]byte(c.live)), []byte(c.git)), "%s %s", c.live, c.git)
	}
}

func TestSameFields(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":["x",{"name":"n"}]}`, `{"a": "2", "b":[null,{"name":"n"}]}`, true},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`{"a":1,"b":1}`, `{"b":1,"a":1}`, false},
		{`{"a":{}}`, `{"a":[]}`, false},
		{`{"a":1}`, `{"a":{}}`, false},
		{`{"a":[1]}`, `{"a":[1,1]}`, false},
		{`{"a":[{"name":"x","b":1},{"name":"y","b":1}]}`, `{"a":[{"name":"y","b":1},{"name":"x","b":1}]}`, false},
	} {
		require.Equal(t, c.same, manifest.SameFields([]byte(c.a), []byte(c.b)), "%s %s", c.a, c.b)
	}
}

// FuzzCovers checks that an object that is covered is one in which the cluster does not differ from the old side in
// Git, also if the new side has other values.
func FuzzCovers(f *testing.F) {
	for _, c := range covered {
		f.Add([]byte(c.live), []byte(c.git), []byte(c.git))
	}
	f.Add([]byte(`{"l":[{"name":"a","x":1,"y":1},{"name":"b","x":1,"y":1}]}`),
		[]byte(`{"l":[{"name":"a","x":1},{"name":"b","y":1}]}`), []byte(`{"l":[{"name":"b","x":2},{"name":"a","y":2}]}`))
	f.Fuzz(func(t *testing.T, inCluster, inGit, next []byte) {
		live, git, now := manifest.Decode(inCluster), manifest.Decode(inGit), manifest.Decode(next)
		if live == nil || git == nil || !manifest.Covers(live, inGit) {
			return
		}
		require.Empty(t, diff.Trees(git, cluster.Within(live, git, git)))
		if now != nil && manifest.SameFields(inGit, next) {
			require.Empty(t, diff.Trees(git, cluster.Within(live, git, now)))
		}
	})
}
