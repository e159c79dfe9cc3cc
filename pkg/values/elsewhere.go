package values

// The names of keys in KubeVirt, virt-install, vSphere, Terraform and clouds, by
// the type that has the key here. A key with several meanings has several keys here.

// Elsewhere returns the keys of a VM by the names that they have elsewhere.
func (*VM) Elsewhere() map[string][]string {
	return map[string][]string{
		"osType": {"os"}, "guestOS": {"os"}, "distro": {"os"}, "guest_id": {"os"}, "guestId": {"os"},
		"sku": {"flavor"}, "size": {"flavor", "disks.root.size"},
		"cpus": {"cpu"}, "vcpu": {"cpu"}, "vcpus": {"cpu"}, "cores": {"cpu.cores"}, "sockets": {"cpu.sockets"},
		"num_cpus": {"cpu"}, "num_cpu": {"cpu"}, "numCPUs": {"cpu"}, "vcpu_count": {"cpu"}, "cpu_count": {"cpu"},
		"ram": {"memory"}, "mem": {"memory"},
		"storage": {"disks"}, "volumes": {"disks"}, "dataVolumes": {"disks"}, "rootDisk": {"disks.root"},
		"dataVolumeTemplates": {"disks"}, "datastore": {"disks.root.storageClass"}, "disk_size": {"disks.root.size"},
		"image": {"disks.root.source"}, "source": {"disks.root.source"}, "clone": {"disks.root.source.pvc"},
		"network": {"nics"}, "networks": {"nics"}, "interfaces": {"nics"}, "mac": {"nics[].mac"}, "ip": {"nics[].ip"},
		"network_interface": {"nics"}, "network_interfaces": {"nics"},
		"userData": {"cloudInit.userData"}, "user": {"cloudInit.user"}, "sshKeys": {"cloudInit.sshKeys"},
		"password": {"cloudInit.passwordSecret"}, "unattend": {"sysprep"},
		"packages": {"cloudInit.packages"}, "runcmd": {"cloudInit.runcmd"}, "users": {"cloudInit.extra.users"},
		"write_files": {"cloudInit.extra.write_files"}, "bootcmd": {"cloudInit.extra.bootcmd"},
		"ssh_pwauth": {"cloudInit.extra.ssh_pwauth"}, "ssh_authorized_keys": {"cloudInit.sshKeys"},
		"timezone": {"cloudInit.extra.timezone"}, "ntp": {"cloudInit.extra.ntp"},
		"bios": {"firmware"}, "efi": {"firmware"}, "uefi": {"firmware"}, "secureBoot": {"firmware"},
		"passthrough": {"hostDevices"}, "pciDevices": {"hostDevices"},
		"project": {"namespace"}, "powerState": {"runStrategy"}, "autostart": {"runStrategy"},
		"ports": {"services"}, "expose": {"services"}, "needs": {"dependsOn"}, "after": {"dependsOn"},
		"count": {"replicas"}, "instances": {"replicas"},
		"notes": {"annotations"}, "description": {"annotations"}, "metadata": {"labels", "annotations"},
		"spec": {"overrides.spec"}, "template": {"overrides.spec.template", "disks.root.source"},
		"domain": {"overrides.spec.template.spec.domain"}, "devices": {"overrides.spec.template.spec.domain.devices"},
	}
}

// Elsewhere returns the keys of a disk by the names that they have elsewhere.
func (*Disk) Elsewhere() map[string][]string {
	return map[string][]string{
		"capacity": {"size"}, "class": {"storageClass"}, "storageClassName": {"storageClass"},
		"accessModes": {"accessMode"}, "image": {"source"}, "url": {"source.http"}, "registry": {"source.registry"},
		"pvc": {"source.pvc"}, "dataSource": {"source.dataSource"}, "claim": {"source.claim"},
		"containerDisk": {"source.containerDisk"}, "persistentVolumeClaim": {"source.claim"}, "pvcName": {"source.claim"},
		"datastore": {"storageClass"},
	}
}

// Elsewhere returns the keys of a NIC by the names that they have elsewhere.
func (*NIC) Elsewhere() map[string][]string {
	return map[string][]string{
		"nad": {"network"}, "multus": {"network"}, "networkName": {"network"}, "macAddress": {"mac"},
		"address": {"ip"}, "addresses": {"ip"}, "ipAddress": {"ip"}, "linkState": {"state"},
		"masquerade": {"binding: masquerade"}, "bridge": {"binding: bridge"}, "sriov": {"binding: sriov"},
		"passt": {"binding: passt"}, "plugin": {"binding"},
	}
}

// Elsewhere returns the keys of cloud-init by the names that they have elsewhere: all of cloud-config belong under
// `extra`.
func (*CloudInit) Elsewhere() map[string][]string {
	keys := map[string][]string{}
	for key := range CloudConfig() {
		keys[key] = []string{"extra." + key}
	}
	for _, key := range []string{"sshKey", "authorizedKeys", "sshAuthorizedKeys", "ssh_authorized_keys"} {
		keys[key] = []string{"sshKeys"}
	}
	for _, own := range []string{"user", "password", "hostname", "packages", "runcmd"} {
		delete(keys, own)
	}
	return keys
}
