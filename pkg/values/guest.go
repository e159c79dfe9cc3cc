package values

import (
	"github.com/vmrender/vmrender/pkg/source"
)

// CloudInit is the first-boot configuration of a Linux guest, or of a Windows guest with cloudbase-init, which needs
// `datasource: configDrive`. String values are templates.
type CloudInit struct {
	// User to set up. Defaults to that of the operating system.
	User string `json:"user,omitempty"`
	// Password of the user, in clear text: prefer `passwordSecret`.
	Password string `json:"password,omitempty" source:"secret"`
	// Secret with user names as keys and passwords as values, which the guest agent sets.
	PasswordSecret string `json:"passwordSecret,omitempty" format:"name"`
	// Authorized SSH keys of the user.
	SSHKeys []string `json:"sshKeys,omitempty" format:"sshKey"`
	// Secret with authorized SSH keys.
	SSHKeySecret string `json:"sshKeySecret,omitempty" format:"name"`
	// Host name. Defaults to the name of the VM.
	Hostname string `json:"hostname,omitempty"`
	// Packages to install.
	Packages []string `json:"packages,omitempty" example:"[nginx]"`
	// Commands to run: strings, or lists of arguments.
	RunCmd []Command `json:"runcmd,omitempty"`
	// Further cloud-config, such as `write_files`, `users` or `ssh_pwauth`, which merges into the output of the keys
	// above. Entries with a key of their own here are errors. `chpasswd` merges by key; levels merge by key; lists
	// replace. With `users`, the user above exists only if the list contains `default`.
	Extra *source.Node `json:"extra,omitempty" ref:"cloudConfig" source:"secret"`
	// Complete user data, instead of the keys above. It may contain templates. For a literal `{{`, as in the Jinja
	// of cloud-init, write `{{ "{{" }}`: `hostname: {{ "{{" }} v1.local_hostname }}`.
	UserData string `json:"userData,omitempty" source:"secret"`
	// Complete network data, instead of that for static addresses.
	NetworkData string `json:"networkData,omitempty"`
	// Secret with the complete network data under `networkdata`.
	NetworkDataSecret string `json:"networkDataSecret,omitempty" format:"name"`
	// Secret with the complete user data under `userdata`.
	Secret string `json:"secret,omitempty" format:"name"`
	// Location of user and network data: in a Secret (the default for pets, whose data counts at the first boot only: a
	// change of it changes nothing of the VirtualMachine), or in the VirtualMachine (the default for cattle), as text
	// (`inline`) or in Base64 (`base64`, as many examples of KubeVirt have it).
	Store string `json:"store,omitempty" enum:"inline,base64,secret"`
	// Data source that the guest reads. Defaults to noCloud, which Windows does not read.
	Datasource string `json:"datasource,omitempty" enum:"noCloud,configDrive"`
	// Bus of the disk with the data, unless a disk has the source `cloudInit`. Defaults to that of the operating
	// system's disks.
	Bus string `json:"bus,omitempty" enum:"virtio,sata,scsi,usb"`
}

// Command is one command of `runcmd`: a string for the shell, or a list of arguments.
type Command struct {
	Shell string
	Args  []string
}

// Sysprep names the Windows answer file. Exactly one of the two keys must be
// set.
type Sysprep struct {
	// Secret with `autounattend.xml` or `unattend.xml`. A template.
	Secret string `json:"secret,omitempty" format:"name"`
	// ConfigMap with `autounattend.xml` or `unattend.xml`. A template.
	ConfigMap string `json:"configMap,omitempty" format:"name"`
}

// WritesUserData reports whether user data is generated from the other keys,
// because it is not given as a whole.
func (c *CloudInit) WritesUserData() bool { return c.UserData == "" && c.Secret == "" }
