package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// A NIC that the guest cannot distinguish from others is an error, not a guess.
func TestNetworkDataNeedsMAC(t *testing.T) {
	tests := map[string]func(*machine.Machine){
		"config drive":     func(m *machine.Machine) { m.CloudInit.Datasource = "configDrive" },
		"SR-IOV":           func(m *machine.Machine) { m.NICs[0].Binding = "sriov" },
		"conventional PCI": func(m *machine.Machine) { m.NICs[0].Model = "rtl8139" },
		"s390x":            func(m *machine.Machine) { m.Arch = "s390x" },
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.NICs = []machine.NIC{vlanNIC("vlan20", "", "10.0.20.5/24")}
			m.NICs[0].Pos = source.Pos{File: "vms.yaml", Line: 9, Col: 5}
			m.CloudInit = &machine.CloudInit{CloudInit: values.CloudInit{Datasource: "noCloud"}}
			write(m)
			require.Equal(t, []string{`vms.yaml:9:5: vms.web01.nics[0].mac: missing MAC address of the NIC "vlan20"; ` +
				"network data with static addresses identifies the NIC by it: " +
				"set `mac`, or `identity.macPrefix` for the fleet"}, problems(t, m))
		})
	}
}
