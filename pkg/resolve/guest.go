package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// cloudInit returns the configuration of a Linux guest, or nil if there is
// none.
func (d *draft) cloudInit(nics []machine.NIC) *machine.CloudInit {
	c := d.vm.CloudInit
	static := slices.ContainsFunc(nics, func(n machine.NIC) bool { return n.IsConfigured() })
	if c == nil && !static {
		return nil
	}
	out := machine.CloudInit{}
	if c != nil {
		out.CloudInit = d.expandCloudInit(*c)
	}
	d.checkCloudInit(&out.CloudInit, static)
	d.checkReadsCloudInit(&out.CloudInit)
	if out.WritesUserData() {
		out.User = cmp.Or(out.User, d.entry.OS.User)
	}
	out.Datasource = cmp.Or(out.Datasource, "noCloud")
	out.InSecret = out.Store == "secret" || out.Store == "" && d.traits.Pet
	out.SecretName = d.name + "-cloudinit"
	out.Bus = cmp.Or(out.Bus, d.entry.OS.BusOfDisk("disk", false, d.vm.Preference != nil))
	return &out
}

// checkReadsCloudInit reports configuration that a Windows guest does not read.
// One with cloudbase-init reads a config drive.
func (d *draft) checkReadsCloudInit(c *values.CloudInit) {
	if d.entry.OS.Family != "windows" || c.Datasource == "configDrive" {
		return
	}
	const why = "Windows reads no cloud-init; use `sysprep` instead (`cloudInit: null` removes what is inherited), " +
		"or set `cloudInit.datasource: configDrive` if cloudbase-init is installed"
	if d.vm.CloudInit != nil {
		d.errorf(d.entry.KeyAt("cloudInit"), rule.Conflict, "cloudInit", why)
		return
	}
	for i := range d.vm.NICs {
		if d.vm.NICs[i].IP != "" {
			d.errorf(d.nicAt(i, "ip"), rule.Conflict, machine.NICPath(i)+".ip", why)
		}
	}
}

// sysprep returns the answer file of a Windows guest, or nil if there is none.
func (d *draft) sysprep() *machine.Sysprep {
	sp := d.vm.Sysprep
	if sp == nil {
		return nil
	}
	if d.entry.OS.Family == "linux" {
		d.errorf(d.entry.KeyAt("sysprep"), rule.Conflict, "sysprep", "Linux reads no answer file; use `cloudInit`")
	}
	if (sp.Secret == "") == (sp.ConfigMap == "") {
		d.errorf(d.entry.KeyAt("sysprep"), rule.Conflict, "sysprep", "expected exactly one of secret and configMap")
		return nil
	}
	out := &machine.Sysprep{Sysprep: values.Sysprep{
		Secret:    d.expand(sp.Secret, "sysprep", "secret"),
		ConfigMap: d.expand(sp.ConfigMap, "sysprep", "configMap"),
	}}
	out.Bus = d.entry.OS.BusOfDisk("cdrom", false, d.vm.Preference != nil)
	return out
}

func (d *draft) expandCloudInit(c values.CloudInit) values.CloudInit {
	for _, f := range []struct {
		text *string
		key  string
	}{
		{&c.User, "user"},
		{&c.Password, "password"},
		{&c.PasswordSecret, "passwordSecret"},
		{&c.SSHKeySecret, "sshKeySecret"},
		{&c.Hostname, "hostname"},
		{&c.UserData, "userData"},
		{&c.NetworkData, "networkData"},
		{&c.Secret, "secret"},
		{&c.NetworkDataSecret, "networkDataSecret"},
	} {
		*f.text = d.expand(*f.text, "cloudInit", f.key)
	}
	c.SSHKeys = d.expandList(c.SSHKeys, "cloudInit", "sshKeys")
	c.Packages = d.expandList(c.Packages, "cloudInit", "packages")
	c.Extra = d.expandNode(c.Extra, "cloudInit", "extra")
	c.RunCmd = slices.Clone(c.RunCmd)
	for i := range c.RunCmd {
		c.RunCmd[i].Shell = d.expand(c.RunCmd[i].Shell, "cloudInit", "runcmd", i)
		c.RunCmd[i].Args = d.expandList(c.RunCmd[i].Args, "cloudInit", "runcmd", i)
	}
	return c
}

func (d *draft) checkCloudInit(c *values.CloudInit, static bool) {
	d.checkWholeUserData(c)
	d.checkFolded()
	d.checkNetworkData(c, static)
	d.checkExtra(c)
	d.checkInlineSecrets()
}

// checkWholeUserData reports complete user data next to keys that generate it.
func (d *draft) checkWholeUserData(c *values.CloudInit) {
	var given string
	switch {
	case c.UserData != "" && c.Secret != "":
		d.errorf(d.entry.KeyAt("cloudInit", "userData"), rule.Conflict, "cloudInit.userData",
			"must not be mixed with `secret` at %s, which holds the whole user data",
			catalog.Where(d.entry.At("cloudInit", "secret")))
		return
	case c.UserData != "":
		given = "userData"
	case c.Secret != "":
		given = "secret"
	default:
		return
	}
	mixed := false
	for _, key := range []string{"user", "password", "sshKeys", "hostname", "packages", "runcmd", "extra"} {
		if n := d.entry.Keys.Get("cloudInit", key); n.IsSet() {
			mixed = true
			d.errorf(d.entry.KeyAt("cloudInit", key), rule.Conflict, "cloudInit."+key,
				"must not be mixed with `%s` at %s, which is the whole user data",
				given, catalog.Where(d.entry.At("cloudInit", given)))
		}
	}
	if c.UserData != "" && !mixed {
		d.checkUserDataHead(c.UserData)
	}
}

// checkFolded reports a header that a folded block joins with the line after it. The
// guest would take both for one comment.
func (d *draft) checkFolded() {
	const header = "#cloud-config"
	n := d.entry.Keys.Get("cloudInit", "userData")
	if n != nil && n.Style == source.Folded && strings.HasPrefix(n.Text, header+" ") {
		d.errorf(n.Pos(), rule.InvalidValue, "cloudInit.userData",
			"`>` joins %q with the line after it, so the guest reads a comment; write `|`", header)
	}
}

// literalPassword matches a password in user data that is not a template.
var literalPassword = lazyregexp.New(`(?m)^[ -]*(password|passwd|plain_text_passwd|hashed_passwd)\s*:\s*[^\s{#]`)

// checkInlineSecrets reports literal passwords in values files.
func (d *draft) checkInlineSecrets() {
	c := d.vm.CloudInit
	if c == nil {
		return
	}
	if c.Password != "" && !template.Is(c.Password) {
		d.reportInlineSecret(inlinePassword, "cloudInit", "password")
	}
	if c.UserData != "" && literalPassword().MatchString(c.UserData) {
		d.reportInlineSecret(inlinePassword, "cloudInit", "userData")
	}
	d.reportPasswords(c.Extra, "cloudInit.extra")
}

const inlinePassword = "a password in clear text; prefer `passwordSecret`, or `secret` for the whole user data"

// reportInlineSecret reports a secret in the value under keys.
func (d *draft) reportInlineSecret(text string, keys ...string) {
	d.site.Policy.ReportSecret(d.entry.At(keys...), d.entry.Path+"."+strings.Join(keys, "."), text, d.diags)
}
