package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The guest's data is on the disk that is marked for it, at that position and on that
// device, and otherwise on the last one.
func TestPlaceOfGuestData(t *testing.T) {
	user, answers := keys{"user": "me"}, keys{"secret": "answers"}
	private := keys{"user": "me", "store": "secret"}
	seed := func(device keys) keys { return merge(keys{"source": keys{"cloudInit": true}}, device) }
	for _, c := range []struct {
		name    string
		vm      keys
		devices string // names of the disks, or all of the one after the colon
		volumes []string
	}{
		{
			"last",
			keys{"cloudInit": user, "disks": keys{"data": "1Gi"}},
			`rootdisk data cloudinitdisk: {"name":"cloudinitdisk","disk":{"bus":"virtio"}}`,
			[]string{"rootdisk", "data", "cloudinitdisk"},
		},
		{
			"own-name",
			keys{"cloudInit": user, "disks": keys{"cloudinitdisk": seed(keys{"bootOrder": 2}), "data": "1Gi"}},
			`rootdisk cloudinitdisk data: {"name":"cloudinitdisk","disk":{"bus":"virtio"},"bootOrder":2}`,
			[]string{"rootdisk", "cloudinitdisk", "data"},
		},
		{
			"cdrom",
			keys{"cloudInit": user, "disks": keys{"ci": seed(keys{"type": "cdrom"}), "data": "1Gi"}},
			`rootdisk ci data: {"name":"ci","cdrom":{"bus":"sata"}}`,
			[]string{"rootdisk", "ci", "data"},
		},
		{
			"device",
			keys{"cloudInit": private, "disks": keys{"ci": seed(keys{
				"bus": "scsi", "serial": "S", "cache": "none", "readOnly": true, "overrides": keys{"tag": "seed"},
			})}},
			`rootdisk ci: {"name":"ci","disk":{"bus":"scsi","readonly":true},"serial":"S","cache":"none","tag":"seed"}`,
			[]string{"rootdisk", "ci"},
		},
		{
			"private",
			keys{"lifecycle": "cattle", "cloudInit": private, "disks": keys{"ci": seed(nil)}},
			`rootdisk ci: {"name":"ci","disk":{"bus":"virtio"},"serial":"`,
			[]string{"rootdisk", "ci"},
		},
		{
			"address",
			keys{"nics": []any{lan}, "disks": keys{"ci": seed(nil), "data": "1Gi"}},
			`rootdisk ci data: {"name":"ci","disk":{"bus":"virtio"}}`,
			[]string{"rootdisk", "ci", "data"},
		},
		{
			"answers",
			keys{"os": "windows2022", "sysprep": answers, "disks": keys{
				"a": keys{"source": keys{"sysprep": true}}, "data": "1Gi",
			}},
			`rootdisk a data: {"name":"a","cdrom":{"bus":"sata"}}`,
			[]string{"rootdisk", "a", "data"},
		},
		{
			"answers-on-disk",
			keys{"os": "windows2022", "sysprep": answers, "disks": keys{
				"a": keys{"source": keys{"sysprep": true}, "type": "disk", "bus": "virtio"},
			}},
			`rootdisk a: {"name":"a","disk":{"bus":"virtio"}}`,
			[]string{"rootdisk", "a"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, found := rendered(t, merge(keys{"os": "rhel9", "cpu": 2, "memory": "4Gi"}, c.vm))
			require.Empty(t, found.Sorted())
			names, device, _ := strings.Cut(c.devices, ": ")
			require.Contains(t, out, device)
			require.Regexp(t, `"name":"(ci|cloudinitdisk)","cloudInitNoCloud":\{|"name":"a","sysprep":\{"secret"`, out)
			disks, volumes := drives(t, out)
			require.Equal(t, strings.Fields(names), disks)
			require.Equal(t, c.volumes, volumes)
		})
	}
}

// drives returns the names of the disks and volumes of the VM named "it".
func drives(t *testing.T, list string) (disks, volumes []string) {
	t.Helper()
	var all struct{ Items []kubevirtv1.VirtualMachine }
	require.NoError(t, json.Unmarshal([]byte(list), &all))
	for i := range all.Items {
		vm := &all.Items[i]
		if vm.Kind != "VirtualMachine" || vm.Name != "it" {
			continue
		}
		for _, d := range vm.Spec.Template.Spec.Domain.Devices.Disks {
			disks = append(disks, d.Name)
		}
		for _, v := range vm.Spec.Template.Spec.Volumes {
			volumes = append(volumes, v.Name)
		}
	}
	return disks, volumes
}
