package machine

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// writtenConfig maps cloud-config that has a key of its own to that key.
var writtenConfig = map[string]string{
	"user": "user", "password": "password", "hostname": "hostname", "ssh_authorized_keys": "sshKeys",
	"packages": "packages", "runcmd": "runcmd",
}

// checkExtra reports further cloud-config that has a key of its own.
func (d *draft) checkExtra(c *values.CloudInit) {
	if c.Extra.IsSet() && c.Extra.Kind != source.Map {
		d.errorf(c.Extra.Pos(), rule.WrongType, "cloudInit.extra",
			"expected a map of cloud-config, such as `{ssh_pwauth: true}`")
	}
	for _, f := range c.Extra.Entries() {
		if key, ok := writtenConfig[f.Key]; ok {
			d.errorf(f.Pos(), rule.Conflict, source.JoinPath("cloudInit.extra", f.Key),
				"has a key of its own; set `cloudInit.%s` instead", key)
		}
	}
}

// checkNetworkData reports network data that is given more than once.
func (d *draft) checkNetworkData(c *values.CloudInit, static bool) {
	for _, key := range []string{"networkData", "networkDataSecret"} {
		if static && d.entry.Keys.Get("cloudInit", key).IsSet() {
			d.errorf(d.entry.KeyAt("cloudInit", key), rule.Conflict, "cloudInit."+key,
				"must not be mixed with `ip` on NICs, which writes it")
		}
	}
	if c.NetworkData != "" && c.NetworkDataSecret != "" {
		d.errorf(d.entry.KeyAt("cloudInit", "networkDataSecret"), rule.Conflict, "cloudInit.networkDataSecret",
			"must not be mixed with `networkData` at %s; remove one", where(d.entry.At("cloudInit", "networkData")))
	}
}

// passwordKeys are the keys of cloud-config with passwords (cloudinit.readthedocs.io, reference/modules).
var passwordKeys = []string{"password", "passwd", "plain_text_passwd", "hashed_passwd"}

// reportPasswords reports literal passwords in cloud-config.
func (d *draft) reportPasswords(n *source.Node, path string) {
	for _, f := range n.Entries() {
		below := source.JoinPath(path, f.Key)
		if v := f.Value; slices.Contains(passwordKeys, f.Key) && v.IsScalar() && v.Text != "" && !template.Is(v.Text) {
			d.site.Policy.ReportSecret(v.Pos(), d.entry.Path+"."+below, inlinePassword, d.diags)
		}
		d.reportPasswords(f.Value, below)
	}
	if n != nil {
		for i, item := range n.Items {
			d.reportPasswords(item, source.IndexPath(path, i))
		}
	}
}
