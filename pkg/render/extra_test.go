package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Further cloud-config is merged into the output of the keys, by key, with templates
// expanded. Strings stay strings.
func TestExtraCloudConfig(t *testing.T) {
	text, diags := rendered(t, keys{"cpu": 2, "memory": "4Gi", "cloudInit": keys{
		"user": "me", "store": "inline", "passwordSecret": "p", "extra": keys{
			"ssh_pwauth":  true,
			"write_files": []any{keys{"path": "/etc/vm", "content": "{{ .vm.name }}", "permissions": "0644"}},
		},
	}})
	require.Empty(t, diags.Sorted())
	require.Contains(t, text, `"userData":"#cloud-config\nuser: me\nssh_pwauth: true\nwrite_files:\n`+
		`- content: it\n  path: /etc/vm\n  permissions: \"0644\"\n"`)
	text, _ = rendered(t, keys{"cpu": 2, "memory": "4Gi", "cloudInit": keys{
		"password": "x", "extra": keys{"chpasswd": keys{"expire": true, "list": "a:b"}},
	}})
	require.Contains(t, text, `chpasswd:\n  expire: true\n  list: a:b\n`)
}

// A reference to network data in a Secret of the user is rendered next to inline user
// data.
func TestNetworkDataSecret(t *testing.T) {
	text, diags := rendered(t, keys{
		"cpu": 2, "memory": "4Gi",
		"cloudInit": keys{"user": "me", "store": "inline", "networkDataSecret": "net", "bus": "sata"},
	})
	require.Empty(t, diags.Sorted())
	require.Contains(t, text, `"cloudInitNoCloud":{"userData":"#cloud-config\nuser: me\n",`+
		`"networkDataSecretRef":{"name":"net"}}`)
	require.Contains(t, text, `{"name":"cloudinitdisk","disk":{"bus":"sata"}}`)
}
