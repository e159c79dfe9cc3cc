package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
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
			continue
		}
		d.warnOfIgnored(&f)
	}
}

// warnOfIgnored warns of cloud-config that the guest ignores. It is not an error, because cloud-init of a newer guest
// may read it. On Windows, cloudbase-init has keys of its own.
func (d *draft) warnOfIgnored(f *source.Field) {
	kinds, known := values.CloudConfig()[f.Key]
	path := source.JoinPath(d.entry.Path+".cloudInit.extra", f.Key)
	switch {
	case d.entry.OS.Family == "windows" || !f.Value.IsSet():
	case !known:
		d.diags.Warnf(f.Pos(), rule.CloudConfig, path, "unknown key %q, which cloud-init ignores; %s",
			f.Key, suggest.DidYouMean(f.Key, slices.Sorted(maps.Keys(values.CloudConfig()))))
	case !slices.Contains(kinds, values.KindOf(f.Value)) && !template.Is(f.Value.Text):
		d.diags.Warnf(f.Value.Pos(), rule.CloudConfig, path, "cloud-init ignores a %s here; expected a %s",
			values.KindOf(f.Value), strings.Join(kinds, " or a "))
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
			"must not be mixed with `networkData` at %s; remove one", catalog.Where(d.entry.At("cloudInit", "networkData")))
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
