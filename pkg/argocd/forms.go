package argocd

import (
	"errors"
	"net/url"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// scpForm is the usual form of ssh URLs: git@git.example.com:team/vms.git. An at sign
// in the path is not accepted, because a user's password would look like a host.
var scpForm = lazyregexp.New(`^([\w.-]+@)?[\w.-]{2,}:[^@\\]+$`)

// errRepoURL does not quote the URL, which may contain a password.
var errRepoURL = errors.New("not a URL that Argo CD can read; expected https://…, ssh://…, or user@host:path")

// PublicURL returns a repository's URL without credentials, and whether it had any.
func PublicURL(given string) (public string, secret bool, err error) {
	if scpForm().MatchString(given) && !strings.Contains(given, "://") {
		return given, false, nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Scheme == "" || u.Host == "" && u.Scheme != "file" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, errRepoURL
	}
	_, hasPassword := u.User.Password()
	secret = hasPassword || u.User != nil && u.Scheme != "ssh"
	if secret {
		u.User = loginName(u)
	}
	return u.String(), secret, nil
}

// loginName returns the name that ssh logs in with. The name in a URL with another
// scheme may be a token, so there it returns nil.
func loginName(u *url.URL) *url.Userinfo {
	if u.Scheme != "ssh" {
		return nil
	}
	return url.User(u.User.Username())
}

// IsServerURL reports whether a URL is that of an API server. A URL with credentials is
// not accepted: Argo CD keeps them in the cluster's Secret.
func IsServerURL(given string) bool {
	u, err := url.Parse(given)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

var namespaceForm = lazyregexp.New(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// IsNamespace reports whether a name is valid for a namespace: a DNS label (RFC 1123).
func IsNamespace(name string) bool { return namespaceForm().MatchString(name) }

var appName = lazyregexp.New(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// maxAppName is the maximum length of the value of a label. If Argo CD tracks objects
// by label, the value is the Application's name.
const maxAppName = 63

// IsApplicationName reports whether a name is valid for an Application.
func IsApplicationName(name string) bool {
	return len(name) <= maxAppName && appName().MatchString(name)
}
