package draft

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/node"
)

// guest sets cloud-init, the answer file and credentials. User data stays as it is, text
// for text: another text is another first boot.
func (e *Entry) guest() {
	spec := e.Live.Spec()
	for i := range spec.Volumes {
		switch v := &spec.Volumes[i].VolumeSource; {
		case v.CloudInitNoCloud != nil:
			e.cloudInit(v.CloudInitNoCloud, "")
		case v.CloudInitConfigDrive != nil:
			e.cloudInit((*kubevirtv1.CloudInitNoCloudSource)(v.CloudInitConfigDrive), "configDrive")
		case v.Sysprep != nil:
			n := node.Map{}
			n.Set("secret", reference(v.Sysprep.Secret))
			n.Set("configMap", reference(v.Sysprep.ConfigMap))
			e.Keys.Set("sysprep", n.Node())
		}
	}
	e.Keys.Set("accessCredentials", spec.AccessCredentials)
}

func (e *Entry) cloudInit(c *kubevirtv1.CloudInitNoCloudSource, datasource string) {
	n := node.Map{}
	n.Set("secret", reference(c.UserDataSecretRef))
	n.Set("networkDataSecret", reference(c.NetworkDataSecretRef))
	n.Set("datasource", datasource)
	n.Set("userData", escaped(c.UserData))
	n.Set("networkData", escaped(c.NetworkData))
	if c.UserData+c.NetworkData != "" {
		n.Set("store", "inline") // a Secret would be another volume, for which the VM must restart
	}
	e.Keys.Set("cloudInit", n.Node())
}

func reference(r *corev1.LocalObjectReference) string {
	if r == nil {
		return ""
	}
	return escaped(r.Name)
}
