package fleet

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// guest decides how the operating system inside is configured.
func (s *subject) guest() {
	s.sysprep()
	c := s.vm.CloudInit
	static := s.m.static()
	if c == nil && !static {
		return
	}
	out := MachineCloudInit{}
	if c != nil {
		out.CloudInit = s.expandCloudInit(*c)
	}
	s.checkCloudInit(&out.CloudInit, static)
	if out.writesUserData() {
		out.User = or(out.User, s.os.User)
	}
	out.Datasource = or(out.Datasource, "noCloud")
	out.InSecret = out.Store == "secret"
	out.SecretName = s.m.Name + "-cloudinit"
	if s.m.Preference == nil {
		out.Bus = or(s.os.DiskBus, "virtio")
	}
	s.m.CloudInit = &out
}

func (s *subject) sysprep() {
	sp := s.vm.Sysprep
	if sp == nil {
		return
	}
	if (sp.Secret == "") == (sp.ConfigMap == "") {
		s.errorf(s.keyAt("sysprep"), "conflict", "sysprep", "expected exactly one of secret and configMap")
		return
	}
	s.m.Sysprep = &Sysprep{Secret: s.texts.expand(sp.Secret, "sysprep", "secret"), ConfigMap: s.texts.expand(sp.ConfigMap, "sysprep", "configMap")}
}

// static tells whether a NIC has an address of its own.
func (m *Machine) static() bool {
	for i := range m.NICs {
		if m.NICs[i].IP != "" {
			return true
		}
	}
	return false
}

// writesUserData tells whether the keys are there from which user data is written.
func (c *CloudInit) writesUserData() bool { return c.UserData == "" && c.Secret == "" }

func (s *subject) expandCloudInit(c CloudInit) CloudInit {
	x := &s.texts
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
	} {
		*f.text = x.expand(*f.text, "cloudInit", f.key)
	}
	c.SSHKeys = x.expandList(c.SSHKeys, "cloudInit", "sshKeys")
	c.Packages = x.expandList(c.Packages, "cloudInit", "packages")
	c.RunCmd = slices.Clone(c.RunCmd)
	for i := range c.RunCmd {
		c.RunCmd[i].Shell = x.expand(c.RunCmd[i].Shell, "cloudInit", "runcmd", i)
		c.RunCmd[i].Args = x.expandList(c.RunCmd[i].Args, "cloudInit", "runcmd", i)
	}
	return c
}

func (s *subject) checkCloudInit(c *CloudInit, static bool) {
	s.wholeUserData(c)
	if c.NetworkData != "" && static {
		s.errorf(s.keyAt("cloudInit", "networkData"), "conflict", "cloudInit.networkData", "must not be mixed with `ip` on NICs, which writes it")
	}
	s.inlineSecrets()
}

// wholeUserData reports user data that is both given and to be written.
func (s *subject) wholeUserData(c *CloudInit) {
	var given string
	switch {
	case c.UserData != "" && c.Secret != "":
		s.errorf(s.keyAt("cloudInit", "userData"), "conflict", "cloudInit.userData", "must not be mixed with `secret` at %s, which holds the whole user data",
			where(s.at("cloudInit", "secret")))
		return
	case c.UserData != "":
		given = "userData"
	case c.Secret != "":
		given = "secret"
	default:
		return
	}
	for _, key := range []string{"user", "password", "sshKeys", "hostname", "packages", "runcmd"} {
		if n := s.node.Get("cloudInit", key); n != nil && n.Kind != source.Null {
			s.errorf(s.keyAt("cloudInit", key), "conflict", "cloudInit."+key, "must not be mixed with `%s` at %s, which is the whole user data", given, where(s.at("cloudInit", given)))
		}
	}
}

// literalPassword finds a password in user data that no template fills in.
var literalPassword = pattern(`(?m)^[ -]*(password|passwd|plain_text_passwd|hashed_passwd)\s*:\s*[^\s{#]`)

// inlineSecrets warns of passwords that stand in the repository.
func (s *subject) inlineSecrets() {
	c := s.vm.CloudInit
	if c == nil {
		return
	}
	if c.Password != "" && !isTemplate(c.Password) {
		s.inlineSecret("password")
	}
	if c.UserData != "" && literalPassword().MatchString(c.UserData) {
		s.inlineSecret("userData")
	}
}

func (s *subject) inlineSecret(key string) {
	const text = "a password in clear text; prefer `passwordSecret`, or `secret` for the whole user data"
	at, path := s.at("cloudInit", key), s.path+".cloudInit."+key
	if s.header.Policy.InlineSecrets == "deny" {
		s.diags.Errorf(at, "inline-secret", path, "%s", text)
		return
	}
	s.diags.Warnf(at, "inline-secret", path, "%s", text)
}

func (s *subject) services() {
	n := s.node.Get("services")
	if n == nil {
		return
	}
	for i := range n.Fields {
		key := n.Fields[i].Key
		svc := s.vm.Services[key]
		if svc == nil {
			continue
		}
		if problem := nameProblem(key); problem != "" {
			s.errorf(n.Fields[i].Pos(), "bad-name", "services."+key, "%s", problem)
		}
		if svc.Port == 0 {
			s.errorf(n.Fields[i].Pos(), "missing-key", "services."+key+".port", "missing port; expected a number from 1 to 65535")
		}
		s.m.Services = append(s.m.Services, MachineService{
			Name: s.m.Name + "-" + key, PortName: key, Port: svc.Port, TargetPort: svc.TargetPort, Protocol: or(svc.Protocol, "TCP"),
			Type: or(svc.Type, "ClusterIP"), Labels: svc.Labels, Annotations: svc.Annotations,
		})
	}
}

func isTemplate(s string) bool { return strings.Contains(s, "{{") }
