package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// inlineLimit is the number of bytes of user data, and of network data, that KubeVirt accepts within a VirtualMachine.
const inlineLimit = 2048

func TestCloudInitSource(t *testing.T) {
	long := "#cloud-config\n" + strings.Repeat("#", inlineLimit)
	most := long[:inlineLimit]
	tests := map[string]struct {
		write  func(*machine.Machine)
		want   kubevirtv1.CloudInitNoCloudSource
		secret map[string]string
	}{
		"nothing to say": {
			want: kubevirtv1.CloudInitNoCloudSource{UserData: "#cloud-config\n"},
		},
		"at the limit": {
			write: func(m *machine.Machine) { m.CloudInit.UserData = most },
			want:  kubevirtv1.CloudInitNoCloudSource{UserData: most},
		},
		"over the limit": {
			write:  func(m *machine.Machine) { m.CloudInit.UserData = long },
			want:   kubevirtv1.CloudInitNoCloudSource{UserDataSecretRef: secretRef("web01-cloudinit")},
			secret: map[string]string{"userdata": long},
		},
		"network data over the limit": {
			write: func(m *machine.Machine) { m.CloudInit.UserData, m.CloudInit.NetworkData = "a", long },
			want: kubevirtv1.CloudInitNoCloudSource{
				UserDataSecretRef: secretRef("web01-cloudinit"), NetworkDataSecretRef: secretRef("web01-cloudinit"),
			},
			secret: map[string]string{"userdata": "a", "networkdata": long},
		},
		"stored in a Secret": {
			write:  func(m *machine.Machine) { m.CloudInit.User, m.CloudInit.InSecret = "me", true },
			want:   kubevirtv1.CloudInitNoCloudSource{UserDataSecretRef: secretRef("web01-cloudinit")},
			secret: map[string]string{"userdata": "#cloud-config\nuser: me\n"},
		},
		"the user's Secret": {
			write: func(m *machine.Machine) { m.CloudInit.Secret, m.CloudInit.InSecret = "own", true },
			want:  kubevirtv1.CloudInitNoCloudSource{UserDataSecretRef: secretRef("own")},
		},
		"the user's Secret next to network data": {
			write: func(m *machine.Machine) {
				m.CloudInit.Secret, m.CloudInit.NetworkData, m.CloudInit.InSecret = "own", "version: 2\n", true
			},
			want: kubevirtv1.CloudInitNoCloudSource{
				UserDataSecretRef: secretRef("own"), NetworkDataSecretRef: secretRef("web01-cloudinit"),
			},
			secret: map[string]string{"networkdata": "version: 2\n"},
		},
		"network data alone": {
			write: func(m *machine.Machine) { m.CloudInit.NetworkData = "version: 2\n" },
			want:  kubevirtv1.CloudInitNoCloudSource{NetworkData: "version: 2\n"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			m.CloudInit = &machine.CloudInit{
				CloudInit:  values.CloudInit{Datasource: "noCloud", Bus: "virtio"},
				SecretName: "web01-cloudinit",
			}
			if test.write != nil {
				test.write(m)
			}
			objects := render(t, m)
			require.Equal(t, &test.want, cloudInitVolumeOf(t, find[*kubevirtv1.VirtualMachine](t, objects)).CloudInitNoCloud)
			secret, ok := objects[0].(*corev1.Secret)
			require.Equal(t, test.secret != nil, ok)
			if ok {
				require.Equal(t, test.secret, secret.StringData)
			}
		})
	}
}

func cloudInitVolumeOf(t testing.TB, vm *kubevirtv1.VirtualMachine) *kubevirtv1.Volume {
	t.Helper()
	for i := range vm.Spec.Template.Spec.Volumes {
		if v := &vm.Spec.Template.Spec.Volumes[i]; v.Name == machine.CloudInitVolume {
			return v
		}
	}
	require.Fail(t, "no cloud-init volume")
	return nil
}

func secretRef(name string) *corev1.LocalObjectReference {
	return &corev1.LocalObjectReference{Name: name}
}
