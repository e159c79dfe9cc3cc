package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// inlineLimit is the number of bytes of user data, and of network data, that
// KubeVirt accepts within a VirtualMachine (virt-api vmi-create-admitter.go, v1.9.0).
const inlineLimit = 2048

// The keys under which KubeVirt looks for cloud-init data in a Secret
// (kubevirt/kubevirt pkg/cloud-init/cloud-init.go).
const (
	keyUserData    = "userdata"
	keyNetworkData = "networkdata"
)

// guestData is the cloud-init data that a Linux guest reads at its first boot.
type guestData struct {
	user    string // user data; empty if there is none or it is in the user's own Secret
	network string // network data; empty if there is none
	secret  bool   // whether both are in a Secret that is rendered for them
}

// hash returns a hash of the data, or "" if there is none.
func (g *guestData) hash() string {
	if g.user+g.network == "" {
		return ""
	}
	return machine.Hash(g.user, g.network)
}

// dataSerial returns the serial number of the disk with the data. It makes a change of
// the data a change of cattle, also if the data is in a Secret: KubeVirt compares the
// template's spec, and neither the Secret nor annotations (virt-controller
// watch/vm/vm.go, syncRestartRequired, v1.8.4). A pet keeps its first boot, and must not
// be asked for a restart that changes nothing in its guest.
func (x *rendering) dataSerial(g *guestData) string {
	if !g.secret || x.Lifecycle.Strategy.Traits().Pet {
		return ""
	}
	return g.hash()
}

// renewRoot adds the guest's data to the content that the root disk is named after.
// cloud-init runs most of its modules once for each instance, and finds out on the
// disk which they were (cloudinit.readthedocs.io, explanation/boot).
func (x *rendering) renewRoot(g *guestData) {
	if !x.Lifecycle.Strategy.Traits().ContentNamedRoot || g.hash() == "" {
		return
	}
	m := *x.Machine
	m.Disks = slices.Clone(m.Disks)
	for i := range m.Disks {
		if d := &m.Disks[i]; d.Name == values.RootDisk && d.Kind == machine.DiskDataVolume && !d.Keep {
			d.Claim = m.Name + "-root-" + machine.Hash(d.Claim, g.hash())
		}
	}
	x.Machine = &m
}

func (x *rendering) guestData() guestData {
	c := x.CloudInit
	if c == nil {
		return guestData{}
	}
	g := guestData{network: x.networkData()}
	if c.Secret == "" {
		g.user = userData(&c.CloudInit)
	}
	if g.user == emptyUserData && g.network != "" {
		g.user = ""
	}
	g.secret = (c.InSecret || len(g.user) > inlineLimit || len(g.network) > inlineLimit) && g.user+g.network != ""
	return g
}

// guestSecret returns the Secret with data that is too long, or too private, to be inline.
func (x *rendering) guestSecret(g *guestData) *corev1.Secret {
	data := make(map[string]string, 2)
	if g.user != "" {
		data[keyUserData] = g.user
	}
	if g.network != "" {
		data[keyNetworkData] = g.network
	}
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: x.objectMeta(x.CloudInit.SecretName, x.secretAnnotations()),
		StringData: data,
	}
}

// addGuestDisks appends the disks with the guest's data that have no place among the disks.
func (x *rendering) addGuestDisks(spec *kubevirtv1.VirtualMachineInstanceSpec, g *guestData) {
	var placed catalog.Source
	for i := range x.Disks {
		s := &x.Disks[i].Source
		placed.CloudInit, placed.Sysprep = placed.CloudInit || s.CloudInit, placed.Sysprep || s.Sysprep
	}
	if c := x.CloudInit; c != nil && !placed.CloudInit {
		x.addDisk(spec, g, &machine.Disk{
			Volume: machine.CloudInitVolume, Kind: machine.DiskGuestData, Source: catalog.Source{CloudInit: true}, Bus: c.Bus,
		})
	}
	if s := x.Sysprep; s != nil && !placed.Sysprep {
		x.addDisk(spec, g, &machine.Disk{
			Volume: machine.SysprepVolume, Kind: machine.DiskGuestData, Source: catalog.Source{Sysprep: true},
			Type: "cdrom", Bus: s.Bus,
		})
	}
}

// guestSource returns the volume with the guest's data.
func (x *rendering) guestSource(d *machine.Disk, g *guestData) kubevirtv1.VolumeSource {
	if d.Source.Sysprep {
		return sysprepSource(&x.Sysprep.Sysprep)
	}
	return x.cloudInitSource(g)
}

func (x *rendering) cloudInitSource(g *guestData) kubevirtv1.VolumeSource {
	s := kubevirtv1.CloudInitNoCloudSource{UserData: g.user, NetworkData: g.network}
	if g.secret {
		s = kubevirtv1.CloudInitNoCloudSource{}
		if g.user != "" {
			s.UserDataSecretRef = secretRef(x.CloudInit.SecretName)
		}
		if g.network != "" {
			s.NetworkDataSecretRef = secretRef(x.CloudInit.SecretName)
		}
	}
	if name := x.CloudInit.NetworkDataSecret; name != "" {
		s.NetworkDataSecretRef = secretRef(name)
	}
	if x.CloudInit.Secret != "" {
		s.UserDataSecretRef = secretRef(x.CloudInit.Secret)
	}
	if x.configDrive() {
		c := kubevirtv1.CloudInitConfigDriveSource(s)
		return kubevirtv1.VolumeSource{CloudInitConfigDrive: &c}
	}
	return kubevirtv1.VolumeSource{CloudInitNoCloud: &s}
}

func secretRef(name string) *corev1.LocalObjectReference {
	return &corev1.LocalObjectReference{Name: name}
}

func (x *rendering) configDrive() bool { return x.CloudInit.Datasource == "configDrive" }

func sysprepSource(s *values.Sysprep) kubevirtv1.VolumeSource {
	if s.ConfigMap != "" {
		return kubevirtv1.VolumeSource{Sysprep: &kubevirtv1.SysprepSource{ConfigMap: secretRef(s.ConfigMap)}}
	}
	return kubevirtv1.VolumeSource{Sysprep: &kubevirtv1.SysprepSource{Secret: secretRef(s.Secret)}}
}
