package render

import (
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/cloudinit"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// The keys under which KubeVirt looks for cloud-init data in a Secret
// (kubevirt/kubevirt pkg/cloud-init/cloud-init.go).
const (
	keyUserData    = "userdata"
	keyNetworkData = "networkdata"
)

// dataSerial returns the serial number of the disk with the data. It makes a change of
// the data a change of cattle, also if the data is in a Secret: KubeVirt compares the
// template's spec, and neither the Secret nor annotations (virt-controller
// watch/vm/vm.go, syncRestartRequired, v1.8.4). A pet keeps its first boot, and must not
// be asked for a restart that changes nothing in its guest.
func (x *rendering) dataSerial(g *keys.GuestData) string {
	if !g.Secret || x.Lifecycle.Strategy.Traits().Pet {
		return ""
	}
	return cloudinit.Hash(g)
}

// renewRoot adds the guest's data to the content that the root disk is named after.
// cloud-init runs most of its modules once for each instance, and finds out on the
// disk which they were (cloudinit.readthedocs.io, explanation/boot).
func (x *rendering) renewRoot(g *keys.GuestData) {
	if !x.Lifecycle.Strategy.Traits().ContentNamedRoot || cloudinit.Hash(g) == "" {
		return
	}
	m := *x.Machine
	m.Disks = slices.Clone(m.Disks)
	for i := range m.Disks {
		if d := &m.Disks[i]; d.Name == values.RootDisk && d.Kind == machine.DiskDataVolume && !d.Keep {
			d.Claim = m.Name + "-root-" + machine.Hash(d.Claim, cloudinit.Hash(g))
		}
	}
	x.Machine = &m
}

// guestSecret returns the Secret with data that is too long, or too private, to be inline.
func (x *rendering) guestSecret(g *keys.GuestData) *corev1.Secret {
	data := make(map[string]string, 2)
	if g.User != "" {
		data[keyUserData] = g.User
	}
	if g.Network != "" {
		data[keyNetworkData] = g.Network
	}
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: x.objectMeta(x.CloudInit.SecretName, x.secretAnnotations()),
		StringData: data,
	}
}

// appendGuestDisks appends the disks with the guest's data that have no place among the disks.
func (x *rendering) appendGuestDisks(to []*machine.Disk) []*machine.Disk {
	hasCloudInit, hasSysprep := false, false
	for i := range x.Disks {
		s := &x.Disks[i].Source
		hasCloudInit, hasSysprep = hasCloudInit || s.CloudInit, hasSysprep || s.Sysprep
	}
	if c := x.CloudInit; c != nil && !hasCloudInit {
		to = append(to, x.shared.cloudInit.on(c.Bus, &cloudInitDisk))
	}
	if s := x.Sysprep; s != nil && !hasSysprep {
		to = append(to, x.shared.sysprep.on(s.Bus, &sysprepDisk))
	}
	return to
}

// The disks with the guest's data, without their buses.
var (
	cloudInitDisk = machine.Disk{
		Volume: machine.CloudInitVolume, Kind: machine.DiskGuestData, Source: catalog.Source{CloudInit: true},
	}
	sysprepDisk = machine.Disk{
		Volume: machine.SysprepVolume, Kind: machine.DiskGuestData, Source: catalog.Source{Sysprep: true}, Type: "cdrom",
	}
)

// sharedDisk is a disk that VMs have in common, except for its bus. It must not be changed.
type sharedDisk struct{ last atomic.Pointer[machine.Disk] }

// on returns the disk on a bus, which is mostly that of the VM before. like is the disk without one.
func (s *sharedDisk) on(bus string, like *machine.Disk) *machine.Disk {
	if last := s.last.Load(); last != nil && last.Bus == bus {
		return last
	}
	d := *like
	d.Bus = bus
	s.last.Store(&d)
	return &d
}
