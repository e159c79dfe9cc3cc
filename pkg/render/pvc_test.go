package render_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// A disk that was created with CDI's `pvc` has that and nothing of `storage`. It may be kept or owned, from its own
// source or from that of the operating system, whose size does not count.
func TestDataVolumesWithPVC(t *testing.T) {
	with := func(disk keys) keys {
		return merge(disk, keys{"dataVolume": keys{"spec": keys{"storage": nil, "pvc": keys{
			"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "nfs", "volumeMode": "Filesystem",
			"resources": keys{"requests": keys{"storage": "5Gi"}},
		}}}})
	}
	const (
		pvc = `"pvc":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}},` +
			`"storageClassName":"nfs","volumeMode":"Filesystem"}}`
		blank = `{"source":{"blank":{}},` + pvc
		image = `{"source":{"registry":{"url":"docker://quay.io/containerdisks/debian:13"}},` + pvc
	)
	for name, c := range map[string]struct {
		volume string
		keys   keys
		want   string
	}{
		"kept":  {"it-data", disk(with(keys{"source": "blank"})), blank},
		"owned": {"it-data", disk(with(keys{"source": "blank", "keep": false})), blank},
		"grows": {"it-data", disk(with(keys{"source": "blank", "expandTo": "9Gi"})), blank},
		"named": {"old", disk(with(keys{"source": "blank", "claimName": "old"})), blank},
		"root":  {"it", keys{"os": "debian13", "disks": keys{"root": with(keys{})}}, image},
	} {
		t.Run(name, func(t *testing.T) {
			out, found := rendered(t, merge(keys{"cpu": 2, "memory": "4Gi"}, c.keys))
			require.False(t, found.HasErrors(), "%v", found.Sorted())
			got, err := json.Marshal(dataVolumeOf(t, out, c.volume))
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}

// dataVolumeOf returns the spec of a DataVolume, an object or a template, by name.
func dataVolumeOf(t *testing.T, list, name string) *cdiv1.DataVolumeSpec {
	t.Helper()
	type volume struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			cdiv1.DataVolumeSpec
			DataVolumeTemplates []volume
		}
	}
	var all struct{ Items []volume }
	require.NoError(t, json.Unmarshal([]byte(list), &all))
	for _, o := range all.Items {
		for _, v := range append(o.Spec.DataVolumeTemplates, o) {
			if v.Metadata.Name == name && v.Kind != "VirtualMachine" {
				return &v.Spec.DataVolumeSpec
			}
		}
	}
	require.Fail(t, "no DataVolume", name)
	return nil
}
