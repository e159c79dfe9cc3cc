package values

// The names of keys in KubeVirt, virt-install, Terraform and clouds, by
// the type that has the key here. A key with several meanings has several keys here.

// Elsewhere returns the keys of a VM by the names that they have elsewhere.
func (*VM) Elsewhere() map[string][]string {
	return map[string][]string{
		"osType": {"os"}, "guestOS": {"os"}, "distro": {"os"},
		"sku": {"flavor"}, "size": {"flavor", "disks.root.size"},
		"cpus": {"cpu"}, "vcpu": {"cpu"}, "vcpus": {"cpu"}, "cores": {"cpu.cores"}, "sockets": {"cpu.sockets"},
		"ram": {"memory"}, "mem": {"memory"},
		"storage": {"disks"}, "volumes": {"disks"}, "dataVolumes": {"disks"}, "rootDisk": {"disks.root"},
		"image": {"disks.root.source"}, "source": {"disks.root.source"},
		"network": {"nics"}, "networks": {"nics"}, "interfaces": {"nics"}, "mac": {"nics[].mac"}, "ip": {"nics[].ip"},
		"userData": {"cloudInit.userData"}, "user": {"cloudInit.user"}, "sshKeys": {"cloudInit.sshKeys"},
		"password": {"cloudInit.passwordSecret"}, "unattend": {"sysprep"},
		"bios": {"firmware"}, "efi": {"firmware"}, "uefi": {"firmware"}, "secureBoot": {"firmware"},
		"passthrough": {"hostDevices"}, "pciDevices": {"hostDevices"},
		"project": {"namespace"}, "running": {"runStrategy"}, "powerState": {"runStrategy"}, "autostart": {"runStrategy"},
		"ports": {"services"}, "expose": {"services"}, "needs": {"dependsOn"}, "after": {"dependsOn"},
		"count": {"replicas"}, "instances": {"replicas"},
	}
}

// Elsewhere returns the keys of a disk by the names that they have elsewhere.
func (*Disk) Elsewhere() map[string][]string {
	return map[string][]string{
		"capacity": {"size"}, "class": {"storageClass"}, "storageClassName": {"storageClass"},
		"accessModes": {"accessMode"}, "image": {"source"}, "url": {"source.http"}, "registry": {"source.registry"},
		"pvc": {"source.pvc"}, "dataSource": {"source.dataSource"}, "claim": {"source.claim"},
		"containerDisk": {"source.containerDisk"},
	}
}

// Elsewhere returns the keys of a NIC by the names that they have elsewhere.
func (*NIC) Elsewhere() map[string][]string {
	return map[string][]string{
		"nad": {"network"}, "multus": {"network"}, "networkName": {"network"}, "macAddress": {"mac"},
		"address": {"ip"}, "addresses": {"ip"}, "ipAddress": {"ip"}, "linkState": {"state"},
	}
}

// Elsewhere returns the keys of cloud-init by the names that they have elsewhere.
func (*CloudInit) Elsewhere() map[string][]string {
	return map[string][]string{
		"sshKey": {"sshKeys"}, "authorizedKeys": {"sshKeys"}, "sshAuthorizedKeys": {"sshKeys"},
		"ssh_authorized_keys": {"sshKeys"},
	}
}
