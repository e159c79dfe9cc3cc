package adopt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// TestEffects checks that a difference names the field in its list, and what a sync does with it.
func TestEffects(t *testing.T) {
	const devices = "/spec/template/spec/domain/devices"
	const seen = "restart: spec.template.spec.domain.devices.disks[data]: " +
		"how the guest sees the disk cannot change while the VM runs"
	for name, test := range map[string]struct {
		path, value          string
		differences, effects []string
	}{
		"a bus": {
			devices + "/disks/1/disk/bus", "scsi",
			[]string{`spec.template.spec.domain.devices.disks[data].disk.bus: "virtio", becomes "scsi"`},
			[]string{seen},
		},
		"what KubeVirt refuses": {
			devices + "/disks/1/disk/bus", "carrier-pigeon",
			[]string{`spec.template.spec.domain.devices.disks[data].disk.bus: "virtio", becomes "carrier-pigeon"`},
			[]string{
				`refused: spec.template.spec.domain.devices.disks[data]: KubeVirt refuses it: "data": ` +
					`invalid bus "carrier-pigeon"; accepted: sata, scsi, usb, virtio`,
				seen,
			},
		},
		"a claim": {
			"/spec/template/spec/volumes/1/persistentVolumeClaim/claimName", "other",
			[]string{`spec.template.spec.volumes[data].persistentVolumeClaim.claimName: "typo-data", becomes "other"`},
			[]string{"recreate: spec.template.spec.volumes[data]: the VM will see another disk; the data stays in the old one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := read(t, filepath.Join("testdata/unknown", "nested.yaml"))[0]
			l, err := draft.Read(o, "shop")
			require.NoError(t, err)
			rendered := replacedAt(t, l, test.path, test.value)
			require.Equal(t, test.differences, draft.Differences(l.Tree, rendered))
			require.Equal(t, test.effects, adopt.Effects(l, rendered))
		})
	}
}

// replacedAt returns the tree of a VM with another value at a path of a JSON patch.
func replacedAt(t *testing.T, l *draft.Live, path, value string) manifest.Tree {
	t.Helper()
	text, err := manifest.Encode(nil, l.Tree)
	require.NoError(t, err)
	n, err := patch.FromJSON(text, new(source.Node))
	require.NoError(t, err)
	d := patch.Document{Tree: n}
	op := patch.Operation{Op: "replace", Path: path, Value: &source.Node{Kind: source.String, Text: value}}
	require.NoError(t, d.Apply(&op))
	return manifest.Decode(source.AppendJSON(nil, d.Tree))
}
