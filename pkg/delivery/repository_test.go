package delivery

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzOriginURL(f *testing.F) {
	f.Add("[remote \"origin\"]\n\turl = https://git.example.com/a.git\n")
	f.Add("[remote \"other\"]\nurl=x\n[ remote \"origin\" ]\nURL = \"y\" # z\n")
	f.Fuzz(func(t *testing.T, config string) {
		found := originURL(config)
		require.Contains(t, config, found)
		require.NotContains(t, found, "\n")
	})
}

func TestOriginURL(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"[remote \"origin\"]\n\turl = https://git.example.com/a.git\n", "https://git.example.com/a.git"},
		{"[remote \"origin\"]\nURL=\"ssh://git@git.example.com/a.git\" # why\n", "ssh://git@git.example.com/a.git"},
		{
			"[remote \"up\"]\nurl = https://a\n[remote \"origin\"]\nfetch = x\nurl = https://b\n[branch]\nurl = https://c",
			"https://b",
		},
		{"[remote \"up\"]\nurl = https://a\n", ""},
		{"", ""},
	} {
		require.Equal(t, c.want, originURL(c.config), c.config)
	}
}

func TestRepositoryPath(t *testing.T) {
	clone(t, gitConfig, map[string]string{"sites/a/fleet.yaml": header, "../outside.yaml": ""})
	require.NoError(t, os.Symlink("a", "sites/link"))
	require.NoError(t, os.Symlink("../outside.yaml", "out.yaml"))
	r, err := findRepository("sites/a")
	require.NoError(t, err)
	for file, want := range map[string]string{
		".":                       ".",
		"sites/a":                 "sites/a",
		"sites/a/..":              "sites",
		"sites/a/missing.yaml":    "sites/a/missing.yaml",
		"sites/link/fleet.yaml":   "sites/a/fleet.yaml", // a file in a linked directory belongs to the target
		"sites/link":              "sites/link",         // the link itself, not its target
		"out.yaml":                "out.yaml",
		"../outside.yaml":         "",
		"missing/directory/x.yml": "",
	} {
		got, err := r.path(file)
		require.Equal(t, want, got, file)
		require.Equal(t, want == "", err != nil, "%s: %v", file, err)
	}
	paths, err := r.paths([]string{"sites", "../outside.yaml"})
	require.ErrorContains(t, err, "../outside.yaml: not in the repository of the fleet")
	require.Nil(t, paths)
}
