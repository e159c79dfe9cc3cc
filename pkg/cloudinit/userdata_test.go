package cloudinit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/values"
)

// Every string of the user is read back from the cloud-config unchanged.
func TestUserDataParsesBack(t *testing.T) {
	texts := []string{
		"plain", "yes", "0123", "12:30:45", "null", "~", "", " leading", "trailing ", "a: b", "a #b", "#a", "- a",
		"{a: b}", "'", `"`, `\`,
		"two\nlines", "two\nlines\n", "\ttab", "tab\tin", "übung", "\u2028", "\x00",
		"*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "---", "...", "1e3", "0x1f",
		strings.Repeat("long ", 100),
	}
	for _, text := range texts {
		requireParsesBack(t, text)
	}
}

func FuzzUserData(f *testing.F) {
	f.Add("yes")
	f.Add("a: b\n- c")
	f.Fuzz(func(t *testing.T, text string) { requireParsesBack(t, strings.ToValidUTF8(text, "?")) })
}

func requireParsesBack(t *testing.T, text string) {
	t.Helper()
	c := values.CloudInit{
		User: text, Password: text, Hostname: text, SSHKeys: []string{text}, Packages: []string{text},
		RunCmd: []values.Command{{Shell: text}, {Args: []string{"echo", text}}},
	}
	got := userData(&c)
	require.True(t, strings.HasPrefix(got, "#cloud-config\n"))
	var back struct {
		User     string
		Password string
		Chpasswd *struct{ Expire *bool }
		Hostname string
		Keys     []string `json:"ssh_authorized_keys"`
		Packages []string
		RunCmd   []any
	}
	require.NoError(t, yaml.Unmarshal([]byte(got), &back), got)
	require.Equal(t, []string{text, text, text}, []string{back.User, back.Password, back.Hostname}, got)
	require.Equal(t, []string{text}, back.Keys, got)
	require.Equal(t, []string{text}, back.Packages, got)
	require.Equal(t, []any{text, []any{"echo", text}}, back.RunCmd, got)
	if text == "" {
		require.Nil(t, back.Chpasswd)
	} else {
		require.False(t, *back.Chpasswd.Expire)
	}
}
