package keys

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/values"
)

// ConfigDrive is the `datasource` of cloud-init that is not the default.
const ConfigDrive = "configDrive"

const inBase64 = "base64" // the `store` of data in Base64

// GuestData is the user and network data of cloud-init that the keys of `cloudInit` and of NICs make.
type GuestData struct {
	User    string // empty if there is none or it is in the user's own Secret
	Network string // empty if there is none
	Secret  bool   // whether both are in a Secret that is rendered for them
}

// SetCloudInit writes the volume with the data of cloud-init.
func SetCloudInit(to *kubevirtv1.VolumeSource, c *machine.CloudInit, g *GuestData) {
	s := kubevirtv1.CloudInitNoCloudSource{}
	switch {
	case g.Secret:
		s.UserDataSecretRef, s.NetworkDataSecretRef = refer(c.SecretName, g.User), refer(c.SecretName, g.Network)
	case c.Store == inBase64:
		s.UserDataBase64 = base64.StdEncoding.EncodeToString([]byte(g.User))
		s.NetworkDataBase64 = base64.StdEncoding.EncodeToString([]byte(g.Network))
	default:
		s.UserData, s.NetworkData = g.User, g.Network
	}
	if name := c.NetworkDataSecret; name != "" {
		s.NetworkDataSecretRef = refer(name, name)
	}
	if name := c.Secret; name != "" {
		s.UserDataSecretRef = refer(name, name)
	}
	if c.Datasource == ConfigDrive {
		to.CloudInitConfigDrive = (*kubevirtv1.CloudInitConfigDriveSource)(&s)
	} else {
		to.CloudInitNoCloud = &s
	}
}

// GetCloudInit returns `cloudInit` for what [SetCloudInit] writes, and nil for another volume. User data stays as it
// is, text for text: another text is another first boot.
func GetCloudInit(v *kubevirtv1.VolumeSource) *node.Map {
	s, datasource := v.CloudInitNoCloud, ""
	if v.CloudInitConfigDrive != nil {
		s, datasource = (*kubevirtv1.CloudInitNoCloudSource)(v.CloudInitConfigDrive), ConfigDrive
	}
	if s == nil {
		return nil
	}
	n := &node.Map{}
	n.Set("secret", referred(s.UserDataSecretRef))
	n.Set("networkDataSecret", referred(s.NetworkDataSecretRef))
	n.Set("datasource", datasource)
	user, network, store := storedData(s)
	n.Set("userData", escaped(user))
	n.Set("networkData", escaped(network))
	n.Set("store", store)
	return n
}

// storedData returns the data that is in a volume, and `store` for it: a Secret would be another volume, for which the
// VM must restart. There is no data if it is not text, or in Base64 in part.
func storedData(s *kubevirtv1.CloudInitNoCloudSource) (user, network, store string) {
	switch text, encoded := s.UserData+s.NetworkData, s.UserDataBase64+s.NetworkDataBase64; {
	case text != "" && encoded == "":
		return s.UserData, s.NetworkData, "inline"
	case text == "" && encoded != "":
		user, isUser := decoded(s.UserDataBase64)
		network, isNetwork := decoded(s.NetworkDataBase64)
		if isUser && isNetwork {
			return user, network, inBase64
		}
	}
	return "", "", ""
}

// decoded returns a text that is in Base64, and reports whether that is its only form.
func decoded(text string) (string, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	isControl := func(b byte) bool { return b < ' ' && b != '\n' && b != '\t' }
	isText := utf8.Valid(data) && !slices.ContainsFunc(data, isControl)
	return string(data), err == nil && isText && base64.StdEncoding.EncodeToString(data) == text
}

// Sysprep is the rows of `sysprep`.
var Sysprep = Table[kubevirtv1.SysprepSource, values.Sysprep]{
	Part: "VM",
	Rows: []Row[kubevirtv1.SysprepSource, values.Sysprep]{
		{
			Key: "secret", Path: "secret.name",
			Set: func(s *kubevirtv1.SysprepSource, v *values.Sysprep) { s.Secret = refer(v.Secret, v.Secret) },
			Get: func(s *kubevirtv1.SysprepSource, _ *Inherited) any { return referred(s.Secret) },
		},
		{
			Key: "configMap", Path: "configMap.name",
			Set: func(s *kubevirtv1.SysprepSource, v *values.Sysprep) { s.ConfigMap = refer(v.ConfigMap, v.ConfigMap) },
			Get: func(s *kubevirtv1.SysprepSource, _ *Inherited) any { return referred(s.ConfigMap) },
		},
	},
}

// refer returns a reference to an object by its name, or nil without what it is for.
func refer(name, content string) *corev1.LocalObjectReference {
	if content == "" {
		return nil
	}
	return &corev1.LocalObjectReference{Name: name}
}

// referred returns the name of an object that is referred to, or "".
func referred(r *corev1.LocalObjectReference) string { return escaped(valueOf(r).Name) }
