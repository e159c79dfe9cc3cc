package adopt

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// guest sets cloud-init, the answer file and credentials. User data stays as it is, text
// for text: another text is another first boot.
func (e *entry) guest() {
	spec := e.live.spec()
	for i := range spec.Volumes {
		switch v := &spec.Volumes[i].VolumeSource; {
		case v.CloudInitNoCloud != nil:
			e.cloudInit(v.CloudInitNoCloud, "")
		case v.CloudInitConfigDrive != nil:
			e.cloudInit((*kubevirtv1.CloudInitNoCloudSource)(v.CloudInitConfigDrive), "configDrive")
		case v.Sysprep != nil:
			n := node{}
			n.set("secret", reference(v.Sysprep.Secret))
			n.set("configMap", reference(v.Sysprep.ConfigMap))
			e.keys.set("sysprep", n.tree())
		}
	}
	e.keys.set("accessCredentials", spec.AccessCredentials)
}

func (e *entry) cloudInit(c *kubevirtv1.CloudInitNoCloudSource, datasource string) {
	n := node{}
	n.set("secret", reference(c.UserDataSecretRef))
	n.set("networkDataSecret", reference(c.NetworkDataSecretRef))
	n.set("datasource", datasource)
	n.set("userData", escaped(c.UserData))
	n.set("networkData", escaped(c.NetworkData))
	if c.UserData+c.NetworkData != "" {
		n.set("store", "inline") // a Secret would be another volume, for which the VM must restart
	}
	e.keys.set("cloudInit", n.tree())
}

func reference(r *corev1.LocalObjectReference) string {
	if r == nil {
		return ""
	}
	return escaped(r.Name)
}
