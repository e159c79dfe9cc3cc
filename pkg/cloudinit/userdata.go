package cloudinit

import (
	"sync"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// emptyUserData is user data without content. It is needed because KubeVirt rejects
// a cloud-init disk without any data.
const emptyUserData = "#cloud-config\n"

// cloudConfig is cloud-init's user data in its cloud-config form
// (cloudinit.readthedocs.io, reference/modules).
type cloudConfig struct {
	User              string    `json:"user,omitempty"`
	Password          string    `json:"password,omitempty"`
	Chpasswd          *chpasswd `json:"chpasswd,omitempty"`
	Hostname          string    `json:"hostname,omitempty"`
	SSHAuthorizedKeys []string  `json:"ssh_authorized_keys,omitempty"`
	Packages          []string  `json:"packages,omitempty"`
	RunCmd            []any     `json:"runcmd,omitempty"` // strings and lists of strings
}

type chpasswd struct {
	Expire bool `json:"expire"`
}

// userData returns the user's own user data, or renders it from the keys that are
// set.
func userData(c *values.CloudInit) string {
	if c.UserData != "" {
		return c.UserData
	}
	config := cloudConfig{
		User: c.User, Password: c.Password, Hostname: c.Hostname, SSHAuthorizedKeys: c.SSHKeys, Packages: c.Packages,
	}
	if c.Password != "" {
		config.Chpasswd = &chpasswd{Expire: false} // otherwise it must be changed at the first login
	}
	for _, cmd := range c.RunCmd {
		if len(cmd.Args) > 0 {
			config.RunCmd = append(config.RunCmd, cmd.Args)
		} else {
			config.RunCmd = append(config.RunCmd, cmd.Shell)
		}
	}
	if c.Extra.IsSet() {
		return withExtra(&config, c.Extra)
	}
	return cloudYAML(emptyUserData, &config)
}

// withExtra returns cloud-config with further keys merged over it.
func withExtra(config *cloudConfig, extra *source.Node) string {
	text, err := manifest.Encode(nil, config)
	if err != nil {
		return emptyUserData // never happens: JSON can represent all fields of the struct
	}
	tree, err := patch.FromJSON(text, source.At(extra.Pos()))
	if err != nil {
		return emptyUserData // never happens: it has just been encoded
	}
	if tree = source.Merge(tree, extra); len(tree.Fields) == 0 {
		return emptyUserData
	}
	return string(manifest.AppendYAML([]byte(emptyUserData), source.AppendJSON(nil, tree)))
}

// cloudTexts is a pool for the JSON and YAML that cloudYAML writes. Without it, each VM allocates 1 KiB more.
var cloudTexts = sync.Pool{New: func() any { return new(struct{ json, yaml []byte }) }}

// cloudYAML returns a struct as YAML after a head line; only the head if it is empty.
func cloudYAML(head string, v any) string {
	t := cloudTexts.Get().(*struct{ json, yaml []byte })
	defer cloudTexts.Put(t)
	var err error
	if t.json, err = manifest.Encode(t.json[:0], v); err != nil || string(t.json) == "{}" {
		return head // an error never happens: JSON can represent all fields of these structs
	}
	t.yaml = manifest.AppendYAML(append(t.yaml[:0], head...), t.json)
	return string(t.yaml)
}
