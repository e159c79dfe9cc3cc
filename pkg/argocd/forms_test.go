package argocd_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
)

func TestPublicURL(t *testing.T) {
	for given, want := range map[string]string{
		"https://git.example.com/a.git":               "https://git.example.com/a.git",
		"https://user:hunter2@git.example.com/a.git":  "https://git.example.com/a.git",
		"https://hunter2@git.example.com:8443/a.git":  "https://git.example.com:8443/a.git",
		"ssh://git@git.example.com:2222/a.git":        "ssh://git@git.example.com:2222/a.git",
		"ssh://git:hunter2@git.example.com/a.git":     "ssh://git@git.example.com/a.git",
		"git@git.example.com:team/a.git":              "git@git.example.com:team/a.git",
		"git.example.com:a.git":                       "git.example.com:a.git",
		"git@git.example.com:/srv/a.git":              "git@git.example.com:/srv/a.git",
		`c:\git\a`:                                    "",
		"file:///srv/git/a":                           "file:///srv/git/a",
		"":                                            "",
		"/srv/git/a":                                  "",
		"../a":                                        "",
		"user:hunter2@git.example.com:a.git":          "",
		"https://git.example.com/a.git?token=hunter2": "",
		"https://user:hun%ter2@git.example.com/a.git": "",
		"https:///a.git":                              "",
	} {
		public, secret, err := argocd.PublicURL(given)
		require.Equal(t, want, public, given)
		require.Equal(t, want == "", err != nil, given)
		if err == nil {
			require.Equal(t, strings.Contains(given, "hunter2"), secret, given)
		} else {
			require.NotContains(t, err.Error(), "hunter2")
		}
	}
}

func FuzzPublicURL(f *testing.F) {
	f.Add("https://user:hunter2@git.example.com/a.git")
	f.Add("ssh://git:hunter2@git.example.com/a.git")
	f.Add("user:hunter2@git.example.com:a.git")
	f.Add("git.example.com:a.git")
	f.Fuzz(func(t *testing.T, given string) {
		public, _, err := argocd.PublicURL(given)
		if err != nil {
			require.Empty(t, public)
			return
		}
		if !strings.Contains(public, "://") {
			if user, _, found := strings.Cut(public, "@"); found {
				require.NotContains(t, user, ":", "a password before the host: %s", public)
			}
			return
		}
		u, err := url.Parse(public)
		require.NoError(t, err)
		_, hasPassword := u.User.Password()
		require.False(t, hasPassword || u.User != nil && u.Scheme != "ssh", public)
	})
}

func TestIsServerURL(t *testing.T) {
	for given, want := range map[string]bool{
		"https://kubernetes.default.svc": true, "https://api.example.com:6443": true,
		"": false, "api.example.com": false, "https://": false, "ssh://api.example.com": false,
		"https://user:hunter2@api.example.com": false, "https://api.example.com?token=hunter2": false,
	} {
		require.Equal(t, want, argocd.IsServerURL(given), given)
	}
}

func TestIsNamespace(t *testing.T) {
	for name, want := range map[string]bool{
		"prod": true, "a-1": true, strings.Repeat("a", 63): true,
		"": false, "Prod": false, "a.b": false, "a-": false, "a b": false, strings.Repeat("a", 64): false,
	} {
		require.Equal(t, want, argocd.IsNamespace(name), name)
	}
}

func TestIsApplicationName(t *testing.T) {
	for name, want := range map[string]bool{
		"site": true, "site-a.b1": true, "1": true, strings.Repeat("a", 63): true,
		"": false, "site-": false, "-site": false, "a..b": false, "a.-b": false, "Site": false, "a_b": false,
		strings.Repeat("a", 64): false,
	} {
		require.Equal(t, want, argocd.IsApplicationName(name), name)
	}
}
