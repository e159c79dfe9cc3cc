package intake

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputsCheck(t *testing.T) {
	files := []string{"vms.yaml", "-"}
	for name, c := range map[string]struct {
		in   Inputs
		want string // empty if there is no error
	}{
		"files":                     {in: Inputs{Files: files}},
		"files and their namespace": {in: Inputs{Files: files, Namespaces: []string{"a"}}},
		"a chart and its values":    {in: Inputs{Chart: "chart", Values: "values.yaml"}},
		"files and a chart":         {in: Inputs{Files: files, Chart: "-"}},
		"a cluster":                 {in: Inputs{Cluster: true, Namespaces: []string{"a", "b"}}},
		"nothing":                   {Inputs{}, "no input; expected files"},
		"only namespaces":           {Inputs{Namespaces: []string{"a"}}, "no input; expected files"},
		"a cluster and files":       {Inputs{Cluster: true, Files: files}, "use them without files"},
		"values without a chart":    {Inputs{Files: files, Values: "values.yaml"}, "use them with --from-chart"},
		"values of a release":       {Inputs{Chart: "-", Values: "values.yaml"}, "use them with --from-chart"},
		"files and two namespaces":  {Inputs{Files: files, Namespaces: []string{"a", "b"}}, "give --namespace once"},
	} {
		if err := c.in.Check(); c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}
