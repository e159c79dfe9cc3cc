package adopt

// Unsaid are the keys of a VM that an import does not write, or the maps of such keys, and what it writes instead. All
// others come back with their values. docs/reference/import.md lists them.
var Unsaid = []struct{ Key, Why string }{
	{"cloudInit.user", inUserData},
	{"cloudInit.password", inUserData},
	{"cloudInit.sshKeys", inUserData},
	{"cloudInit.hostname", inUserData},
	{"cloudInit.packages", inUserData},
	{"cloudInit.runcmd", inUserData},
	{"cloudInit.extra", inUserData},
	{"cloudInit.userData", inUserData},
	{"cloudInit.networkData", "data in a Secret stays there: `networkDataSecret` names it"},
	{"cloudInit.passwordSecret", "`accessCredentials` has it"},
	{"cloudInit.sshKeySecret", "`accessCredentials` has it"},
	{"cloudInit.bus", "a disk with `source: {cloudInit: true}` has it"},
	{"nics[].binding", "the network in the catalog has the binding of most of its NICs; other NICs have their own"},
	{"nics[].network", "the network in the catalog has the name of its definition"},
	{"nics[].ip", inNetworkData},
	{"nics[].gateway", inNetworkData},
	{"nics[].dns", inNetworkData},
	{"nics[].routes", inNetworkData},
	{"disks.*.name", "the disk has its name as the key under `disks`"},
	{"disks.*.expandTo", "the claim of a disk is an object of its own; `size` is what the disk was created with"},
	{"disks.*.revision", "`claimName`, or the claim itself, has the number"},
	{"diskLabels", "each disk that the VM owns has its own `labels`"},
	{"driversDisk", "it is a disk of its own"},
	{"hotpluggable", "each disk has its own"},
	{"services", notOfVM},
	{"objects", notOfVM},
	{"replicas", "each VM has an entry, unless `--replicas` folds those that differ only in their number"},
	{"dependsOn", byFleet},
	{"wave", byFleet},
	{"stage", byFleet},
	{"maintenance", byFleet},
	{"snapshots", byFleet},
	{"power", byFleet},
	{"restoreFrom", byFleet},
	{"approve", byFleet},
	{"lifecycle", "adopted VMs are pets, and protected unless `--unprotected` is given"},
	{"migrate", "the VM has arrived"},
	{"vars", "values are written as they are"},
}

const (
	inUserData    = "the data that the guest has read stays as it is: in `userData`, or in the Secret that `secret` names"
	inNetworkData = "the data that the guest has read stays as it is: in `networkData` or `networkDataSecret`"
	notOfVM       = "only the VM and its disks are imported"
	byFleet       = "nothing in the cluster has it"
)
