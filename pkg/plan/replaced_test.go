package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
)

// Argo CD replaces a VM with Force and Replace for every difference that it sees. It does
// not see a removed annotation unless kubectl has applied it.
func TestReplacedMachines(t *testing.T) {
	const (
		options = "metadata.annotations.argocd~argoproj~io/sync-options"
		note    = "metadata.annotations.example~com/note"
		applied = "metadata.annotations.kubectl~kubernetes~io/last-applied-configuration"
	)
	replaced := set("Force=true,Replace=true", options)
	noted := both(replaced, set("x", note))
	for name, test := range map[string]struct {
		was, now func([]object)
		live     func([]object) // nil for a plan without the cluster
		level    impact.Level
	}{
		"nothing":                    {was: noted, now: noted, level: impact.None},
		"an annotation goes":         {was: noted, now: replaced, level: impact.Metadata},
		"an annotation comes":        {was: replaced, now: noted, level: impact.DataLoss},
		"an annotation changes":      {was: noted, now: both(replaced, set("y", note)), level: impact.DataLoss},
		"the options go":             {was: replaced, now: func([]object) {}, level: impact.DataLoss},
		"an annotation and a field":  {was: noted, now: both(replaced, set("4Gi", memory)), level: impact.DataLoss},
		"a label of a template goes": {was: both(replaced, labelTemplates), now: replaced, level: impact.DataLoss},
		"an annotation of kubectl goes": {
			was: noted, now: replaced, live: both(noted, set("{}", applied)), level: impact.DataLoss,
		},
	} {
		t.Run(name, func(t *testing.T) {
			side := func(edit func([]object)) []object {
				objects := load(t, "cattle")
				edit(objects)
				return objects
			}
			o := plan.Options{Cluster: openshift}
			if test.live != nil {
				o.Live = encode(t, side(test.live))
			}
			v := verdictOf(t, plan.New(encode(t, side(test.was)), encode(t, side(test.now)), o))
			require.Equal(t, test.level, v.Level, "%+v", v.Causes)
		})
	}
}

func labelTemplates(objects []object) {
	for _, t := range objects[0]["spec"].(object)["dataVolumeTemplates"].([]any) {
		t.(object)["metadata"].(object)["labels"] = object{"app": "web"}
	}
}
