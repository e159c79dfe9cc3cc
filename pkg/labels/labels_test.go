package labels_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Objects in clusters have these keys, and would not be found if a key changed. No tool
// updates this table.
func TestKeysNeverChange(t *testing.T) {
	keys := map[string]string{
		labels.Rollout:        "vmrender.io/rollout",
		labels.MaxUnavailable: "vmrender.io/max-unavailable",
		labels.KeepOld:        "vmrender.io/keep-old",
		labels.Entry:          "vmrender.io/entry",
		labels.Group:          "vmrender.io/group",
		labels.Version:        "vmrender.io/version",
		labels.Pet:            "pet",
		labels.Cattle:         "cattle",
		labels.RolloutSuffix:  "-rollout",
		labels.ManagedBy:      "app.kubernetes.io/managed-by",
		labels.Manager:        "vmrender",
		labels.Stopped:        "vmrender.io/stopped",
		labels.Ran:            "vmrender.io/ran",
		labels.Change:         "vmrender.io/change",

		labels.ProgressDeadline: "vmrender.io/progress-deadline-seconds",
		labels.Content:          "vmrender.io/content",
		labels.Disk:             "vmrender.io/disk",
		labels.RootDisk:         "root",
		labels.SnapshotOf:       "vmrender.io/snapshot-of",
		labels.Pool:             "vmrender.io/pool",
		labels.UserData:         "vmrender.io/user-data",
		labels.Lifecycle:        "vmrender.io/lifecycle",
		labels.Catalog:          "vmrender.io/catalog",
		labels.Strategy:         "vmrender.io/strategy",
		labels.OnChange:         "vmrender.io/on-change",
		labels.InPlace:          "in-place",
		labels.Recreate:         "recreate",
		labels.BlueGreen:        "blue-green",
		labels.ApproveFrom:      "vmrender.io/approve-from",
		labels.MaxImpact:        "vmrender.io/max-impact",
		labels.Becomes:          "vmrender.io/becomes",
		labels.Approved:         "vmrender.io/approved",
		labels.Maintenance:      "vmrender.io/maintenance",
		labels.Snapshots:        "vmrender.io/snapshots",
		labels.Restore:          "vmrender.io/restore",
		labels.Wave:             "vmrender.io/wave",
		labels.Started:          "vmrender.io/started",
		labels.Schedule:         "vmrender.io/schedule",
		labels.Power:            "vmrender.io/power",
		labels.Powered:          "vmrender.io/powered",
		labels.Patch:            "vmrender.io/patch",
		labels.PatchOf:          "vmrender.io/patch-of",
		labels.PatchRun:         "vmrender.io/patch-run",
		labels.Stage:            "vmrender.io/stage",
		labels.BreakGlass:       "vmrender.io/break-glass",
		labels.Held:             "vmrender.io/held",
		labels.NoBecomes:        "none",
		labels.Fleet:            "vmrender.io/fleet",
		labels.Directory:        "vmrender.io/directory",
		labels.Impact:           "vmrender.io/impact",
		labels.OnFailure:        "vmrender.io/on-failure",
		labels.Delivery:         "vmrender.io/delivery",
		labels.MachineConfig:    "vmrender.io/machine-config-",
		labels.NodePool:         "vmrender.io/node-pool",
		labels.ChartNamespace:   "vmrender.io/namespace",
		labels.BlockTracking:    "changedBlockTracking",
		labels.App:              "app",
		labels.Protection:       "kubevirt.io/vm-delete-protection",
		labels.Protected:        "True",
	}
	for key, want := range keys {
		require.Equal(t, want, key)
	}
	for name, key := range declared(t) {
		require.Contains(t, keys, key, "%s is not in the table", name)
	}
}

// declared returns the constants of the package by name.
func declared(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "labels.go", nil, 0)
	require.NoError(t, err)
	all := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			all[spec.Names[0].Name] = value
		}
		return true
	})
	require.NotEmpty(t, all)
	return all
}
