package delivery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckNames(t *testing.T) {
	for name, c := range map[string]struct {
		dirs []string
		want []string
	}{
		"apart": {dirs: []string{"fleet/a", "fleet/b/c"}},
		"same": {
			[]string{"fleet/a-b", "fleet/a/b"},
			[]string{`fleet/a/b: makes the Application's name "site-a-b", as fleet/a-b does`},
		},
		"no name":  {[]string{"fleet/___"}, []string{`fleet/___: makes the name "site-", which an Application cannot have`}},
		"too long": {[]string{"fleet/" + strings.Repeat("a", 59)}, []string{"which an Application cannot have"}},
		"all of them": {
			[]string{"fleet/___", "fleet/A", "fleet/a"},
			[]string{`fleet/___: makes the name "site-"`, `fleet/a: makes the Application's name "site-a", as fleet/A does`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkNames(order{name: "site", path: "fleet"}, c.dirs)
			if c.want == nil {
				require.NoError(t, err)
			}
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestCheckSteps(t *testing.T) {
	dirs := []string{"fleet/lab", "fleet/prod/db", "fleet/prod/web"}
	for name, c := range map[string]struct {
		rolling *rolling
		want    string
	}{
		"none":        {},
		"directories": {rolling: &rolling{steps: []string{"prod", "lab"}}},
		"of clusters": {rolling: &rolling{clusterLabel: "tier", steps: []string{"gold"}}},
		"not right below": {
			&rolling{steps: []string{"lab", "db"}}, `--rolling "db": no directory with VMs right beneath fleet`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkSteps(order{path: "fleet"}, spread{directories: dirs, rolling: c.rolling})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// Applications in no step come last, because Argo CD would never sync them.
func TestStrategy(t *testing.T) {
	require.Nil(t, (*rolling)(nil).strategy())
	steps := (&rolling{steps: []string{"Lab_1", "prod"}, maxUpdate: 1}).strategy().RollingSync.Steps
	require.Len(t, steps, 3)
	for i, want := range []struct {
		operator string
		values   []string
	}{{"In", []string{"lab-1"}}, {"In", []string{"prod"}}, {"NotIn", []string{"lab-1", "prod"}}} {
		match := steps[i].MatchExpressions[0]
		require.Equal(t, "vmrender.io/directory", match.Key)
		require.Equal(t, want.operator, match.Operator)
		require.Equal(t, want.values, match.Values)
		require.Equal(t, 1, steps[i].MaxUpdate)
	}
	byLabel := (&rolling{clusterLabel: "tier", steps: []string{"Gold"}}).strategy().RollingSync.Steps
	require.Equal(t, "tier", byLabel[0].MatchExpressions[0].Key)
	require.Equal(t, []string{"Gold"}, byLabel[0].MatchExpressions[0].Values, "a cluster's label is as it is")
}
