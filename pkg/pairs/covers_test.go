package pairs_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// covered are an object in the cluster, one in Git, and whether the first is known to cover the second.
var covered = []struct {
	live, git string
	is        bool
}{
	{`{"a":1,"b":true,"c":"x\n","d":{"e":{}},"l":[{"name":"n","x":1}],"more":null}`,
		`{"c":"x\n","a":1,"b":true,"d":{},"l":[{"name":"n"}]}`, true},
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

// FuzzCovers checks that an object that is covered is one in which the cluster does not differ from Git.
func FuzzCovers(f *testing.F) {
	for _, c := range covered {
		f.Add([]byte(c.live), []byte(c.git))
	}
	f.Fuzz(func(t *testing.T, inCluster, inGit []byte) {
		live, git := manifest.Decode(inCluster), manifest.Decode(inGit)
		if live == nil || git == nil || !json.Valid(inGit) || !manifest.Covers(live, inGit) {
			return
		}
		before := cluster.Within(live, git, git)
		require.Empty(t, impact.Diff(git, before))
	})
}
