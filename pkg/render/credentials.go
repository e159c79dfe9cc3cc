package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
)

// addAccessCredentials appends the credentials that the keys of `cloudInit` name to
// the VM's own. Passwords are set by the guest agent, which is KubeVirt's only
// method; SSH keys are on the cloud-init disk.
func (x *rendering) addAccessCredentials(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	c := x.CloudInit
	if c == nil {
		return
	}
	if c.PasswordSecret != "" {
		spec.AccessCredentials = append(spec.AccessCredentials,
			kubevirtv1.AccessCredential{UserPassword: passwordCredential(c.PasswordSecret)})
	}
	if c.SSHKeySecret != "" {
		spec.AccessCredentials = append(spec.AccessCredentials,
			kubevirtv1.AccessCredential{SSHPublicKey: x.sshCredential(c.SSHKeySecret)})
	}
}

func passwordCredential(secret string) *kubevirtv1.UserPasswordAccessCredential {
	return &kubevirtv1.UserPasswordAccessCredential{
		Source: kubevirtv1.UserPasswordAccessCredentialSource{
			Secret: &kubevirtv1.AccessCredentialSecretSource{SecretName: secret},
		},
		PropagationMethod: kubevirtv1.UserPasswordAccessCredentialPropagationMethod{
			QemuGuestAgent: &kubevirtv1.QemuGuestAgentUserPasswordAccessCredentialPropagation{},
		},
	}
}

func (x *rendering) sshCredential(secret string) *kubevirtv1.SSHPublicKeyAccessCredential {
	out := &kubevirtv1.SSHPublicKeyAccessCredential{
		Source: kubevirtv1.SSHPublicKeyAccessCredentialSource{
			Secret: &kubevirtv1.AccessCredentialSecretSource{SecretName: secret},
		},
	}
	if x.CloudInit.Datasource == keys.ConfigDrive {
		out.PropagationMethod.ConfigDrive = &kubevirtv1.ConfigDriveSSHPublicKeyAccessCredentialPropagation{}
	} else {
		out.PropagationMethod.NoCloud = &kubevirtv1.NoCloudSSHPublicKeyAccessCredentialPropagation{}
	}
	return out
}
