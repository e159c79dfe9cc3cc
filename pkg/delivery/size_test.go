package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/sizing"
)

// The sizes of Applications depend on how the options divide the fleet.
func TestSize(t *testing.T) {
	clone(t, gitConfig, site())
	contents := []Contents{
		{VMs: 0, Objects: 1, Bytes: 10}, // Jobs
		{File: "sites/a/lab/vms.yaml", VMs: 1, Objects: 4, Bytes: 400},
		{File: "sites/a/prod/db/vms.yaml", VMs: 1, Objects: 6, Bytes: 600},
		{File: "sites/a/prod/web/vms.yaml", VMs: 1, Objects: 2, Bytes: 200},
	}
	// The files of site(), except .git, each of one page.
	const files, pages = 10, 10 * 4096
	labels := []string{"vms=enabled"}
	for name, c := range map[string]struct {
		options Options
		want    sizing.Fleet
	}{
		"one Application": {Options{Size: 2}, sizing.Fleet{
			VMs: 3, Objects: 13, Bytes: 1210, Applications: 1, Squares: 169, Clusters: 2,
			Largest: sizing.Application{Objects: 13, Bytes: 1210},
		}},
		"directories": {Options{Size: 2, AppSet: true}, sizing.Fleet{
			VMs: 3, Objects: 13, Bytes: 1210, Applications: 3, Squares: 83, Clusters: 2,
			Largest: sizing.Application{Objects: 7, Bytes: 610},
		}},
		"on all clusters": {Options{Size: 5, AppSet: true, Clusters: labels}, sizing.Fleet{
			VMs: 15, Objects: 65, Bytes: 6050, Applications: 15, Squares: 415, Clusters: 5,
			Largest: sizing.Application{Objects: 7, Bytes: 610},
		}},
		"as the contents have it": {
			Options{Size: 2, AppSet: true, Clusters: labels, ClusterOverlays: "clusters"},
			sizing.Fleet{
				VMs: 3, Objects: 13, Bytes: 1210, Applications: 6, Squares: 28, Clusters: 2,
				Largest: sizing.Application{Objects: 3, Bytes: 305},
			},
		},
	} {
		got, err := plan(t, "sites/a", c.options).Size(contents)
		require.NoError(t, err, name)
		c.want.Files, c.want.Pages = files, pages
		require.Equal(t, c.want, got, name)
	}
}

func TestSizeOfNothing(t *testing.T) {
	clone(t, gitConfig, map[string]string{"fleet.yaml": header + "allowEmpty: true\n"})
	got, err := plan(t, ".", Options{Size: 1, AppSet: true}).Size(nil)
	require.NoError(t, err)
	require.Equal(t, sizing.Fleet{Clusters: 1, Files: 1, Pages: 4096}, got)
}

func TestSizeRefuses(t *testing.T) {
	clone(t, gitConfig, site())
	o := Options{Size: 3, AppSet: true, Clusters: []string{"vms=enabled"}, ClusterOverlays: "clusters"}
	_, err := plan(t, "sites/a", o).Size(nil)
	require.EqualError(t, err, `--size 3; expected 2, the number of overlays in --cluster-overlays "clusters"`)
}
