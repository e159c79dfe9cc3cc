package cloudinit

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

func TestNetworkData(t *testing.T) {
	routed := vlanNIC("vlan20", "02:11:22:33:44:55", "10.0.20.5/24")
	routed.Gateway, routed.DNS = "10.0.20.1", []string{"10.0.0.53"}
	routed.Routes = []machine.Route{{
		To: netip.MustParsePrefix("10.20.0.0/16"), Via: netip.MustParseAddr("10.0.20.254"),
	}}
	v6 := vlanNIC("vlan30", "", "fd00::5/64")
	v6.Gateway = "fd00::1"
	unnumbered := vlanNIC("vlan40", "", "")
	unnumbered.Unnumbered = true
	unplugged := vlanNIC("gone", "", "")
	unplugged.State = "absent"
	sriov := vlanNIC("fast", "02:a1:b2:00:00:09", "10.0.9.9/24")
	sriov.Binding, sriov.Model = "sriov", ""

	tests := map[string]struct {
		nics []machine.NIC
		want string
	}{
		"no static address": {nics: []machine.NIC{podNIC("virtio")}},
		"NICs without an address ask DHCP": {
			nics: []machine.NIC{podNIC("virtio"), vlanNIC("vlan20", "", "10.0.20.5/24")},
			want: `version: 2
ethernets:
  enp1s0:
    dhcp4: true
  enp2s0:
    addresses:
    - 10.0.20.5/24
`,
		},
		"NICs that have no address do not ask DHCP": {
			nics: []machine.NIC{podNIC("virtio"), unnumbered},
			want: `version: 2
ethernets:
  enp1s0:
    dhcp4: true
  enp2s0: {}
`,
		},
		"a MAC address identifies the NIC": {
			nics: []machine.NIC{routed},
			want: `version: 2
ethernets:
  enp1s0:
    match:
      macaddress: "02:11:22:33:44:55"
    set-name: enp1s0
    addresses:
    - 10.0.20.5/24
    routes:
    - to: 0.0.0.0/0
      via: "10.0.20.1"
    - to: 10.20.0.0/16
      via: "10.0.20.254"
    nameservers:
      addresses:
      - "10.0.0.53"
`,
		},
		"IPv6, after a NIC that is not plugged": {
			nics: []machine.NIC{unplugged, v6},
			want: `version: 2
ethernets:
  enp1s0:
    addresses:
    - fd00::5/64
    routes:
    - to: "::/0"
      via: fd00::1
`,
		},
		"an SR-IOV device takes no port of the others": {
			nics: []machine.NIC{sriov, podNIC("virtio")},
			want: `version: 2
ethernets:
  enp1s0:
    dhcp4: true
  net0:
    match:
      macaddress: "02:a1:b2:00:00:09"
    set-name: net0
    addresses:
    - 10.0.9.9/24
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, networkDataOf(t, test.nics))
		})
	}
}

func networkDataOf(t *testing.T, nics []machine.NIC) string {
	t.Helper()
	m := &machine.Machine{Arch: "amd64", NICs: nics}
	m.CloudInit = &machine.CloudInit{CloudInit: values.CloudInit{Datasource: "noCloud"}}
	var diags source.Diagnostics
	text := networkData(m, &diags)
	require.Empty(t, diags.Sorted())
	return text
}

func TestOpenStackDataIsJSON(t *testing.T) {
	pod, vlan := podNIC("virtio"), vlanNIC("vlan20", "02:a1:b2:00:00:02", "10.0.20.5/24")
	pod.MAC = "02:a1:b2:00:00:01"
	vlan.Gateway, vlan.DNS = "10.0.20.1", []string{"10.0.0.53", "10.0.1.53"}
	m := &machine.Machine{NICs: []machine.NIC{pod, vlan, vlanNIC("vlan30", "02:a1:b2:00:00:03", "fd00::5/64")}}
	m.CloudInit = &machine.CloudInit{CloudInit: values.CloudInit{Datasource: keys.ConfigDrive}}
	var diags source.Diagnostics
	var data openStack
	require.NoError(t, json.Unmarshal([]byte(networkData(m, &diags)), &data))
	require.Len(t, data.Links, 3)
	require.Equal(t, osNetwork{ID: "default", Link: "default", Type: "ipv4_dhcp"}, data.Networks[0])
	require.Equal(t, osRoute{Network: "0.0.0.0", Netmask: "0.0.0.0", Gateway: "10.0.20.1"}, data.Networks[1].Routes[0])
	require.Equal(t, "ffff:ffff:ffff:ffff::", data.Networks[2].Netmask)
	require.Equal(t, []osService{{"dns", "10.0.0.53"}, {"dns", "10.0.1.53"}}, data.Services)

	m.NICs[0].Unnumbered = true // a link, and no network
	data = openStack{}
	require.NoError(t, json.Unmarshal([]byte(networkData(m, &diags)), &data))
	require.Len(t, data.Links, 3)
	require.Len(t, data.Networks, 2)
	require.Empty(t, diags.Sorted())
}

func podNIC(model string) machine.NIC {
	return machine.NIC{NIC: values.NIC{Name: "default", Binding: "masquerade", Model: model}, Pod: true}
}

func vlanNIC(name, mac, ip string) machine.NIC {
	return machine.NIC{NIC: values.NIC{Name: name, Binding: "bridge", Model: "virtio", MAC: mac, IP: ip}}
}
