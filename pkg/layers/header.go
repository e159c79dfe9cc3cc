package layers

import (
	"fmt"
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/platform"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkHeader checks everything except the layers.
func (p *loaded) checkHeader(diags *source.Diagnostics) {
	for _, want := range []struct{ key, value string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		if n := p.root.Get(want.key); n == nil || n.Kind == source.Null {
			diags.Errorf(p.root.Pos(), rule.MissingKey, want.key, "missing; write `%s: %s`", want.key, want.value)
		}
	}
	if p.Metadata.Name == "" {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "metadata.name",
			"missing; expected the name of the platform, such as `metadata: {name: site-a}`")
	}
	if n := p.root.Get("layers"); len(p.Layers) == 0 && (n == nil || n.Kind == source.Map || n.Kind == source.Null) {
		diags.Errorf(p.root.Pos(), rule.MissingKey, "layers",
			"missing; expected at least one of: %s", strings.Join(chartNames(), ", "))
	}
	if p.Destination.Name != "" && p.Destination.Server != "" {
		name, server := p.root.Get("destination", "name"), p.root.Get("destination", "server")
		diags.Errorf(p.root.Get("destination").Pos(), rule.Conflict, "destination",
			"name%s and server%s are both set; use one of them", platform.Origin(name, server), platform.Origin(server, name))
	}
	p.checkStrings(diags)
	p.checkGroups(diags)
	checkCredentials(p.root.Get("layers"), "layers", diags)
}

// checkCredentials warns of addresses with credentials, such as those of images.
func checkCredentials(n *source.Node, path string, diags *source.Diagnostics) {
	if n == nil {
		return
	}
	if n.Kind == source.String && secret.InURL(n.Text) {
		diags.Warnf(n.Pos(), rule.InlineSecret, path,
			"credentials in the address, in clear text; remove them, and name a Secret instead")
	}
	for _, f := range n.Fields {
		checkCredentials(f.Value, source.JoinPath(path, f.Key), diags)
	}
	for i, item := range n.Items {
		checkCredentials(item, source.IndexPath(path, i), diags)
	}
}

const (
	nameRule      = "at most 63 lower case letters, digits, dashes and dots, with a letter or digit at both ends"
	namespaceRule = "invalid name %q; " +
		`expected lower case letters, digits and "-", starting and ending with a letter or digit`
	repoURLRule = "not a URL that Argo CD can read, or one with credentials, which belong into Argo CD's Secret " +
		"for the repository; expected https://…, ssh://…, or user@host:path"
	serverRule = "not the URL of an API server, or one with credentials; expected https://HOST:PORT"
	pathRule   = "invalid path %q; expected a path in the repository, relative to its root"
)

// checkStrings rejects strings that Argo CD or Kubernetes would reject. Messages do not
// quote those that may contain a password.
func (p *loaded) checkStrings(diags *source.Diagnostics) {
	for _, text := range []struct {
		path, value string
		right       func(string) bool
		problem     string
	}{
		{"metadata.name", p.Metadata.Name, argocd.IsApplicationName, "invalid name %q; expected " + nameRule},
		{"argocdNamespace", p.ArgoCDNamespace, argocd.IsNamespace, namespaceRule},
		{"policy.namespace", p.Policy.Namespace, argocd.IsNamespace, namespaceRule},
		{"target.kubernetes", p.Target.Kubernetes, IsVersion, `invalid version %q; expected a version such as "1.33"`},
		{"target.kubevirt", p.Target.KubeVirt, IsVersion, `invalid version %q; expected a version such as "1.8"`},
		{"target.argocd", p.Target.ArgoCD, IsVersion, `invalid version %q; expected a version such as "3.2"`},
		{"source.repoURL", p.Source.RepoURL, isPublicURL, repoURLRule},
		{"charts.repoURL", p.Charts.RepoURL, isPublicURL, repoURLRule},
		{"source.path", p.Source.Path, isInRepository, pathRule},
		{"charts.path", p.Charts.Path, isInRepository, pathRule},
		{"destination.server", p.Destination.Server, argocd.IsServerURL, serverRule},
	} {
		if text.value == "" || text.right(text.value) {
			continue
		}
		problem := text.problem
		if strings.Contains(problem, "%q") {
			problem = fmt.Sprintf(problem, text.value)
		}
		diags.Errorf(p.root.Get(strings.Split(text.path, ".")...).Pos(), rule.BadValue, text.path, "%s", problem)
	}
}

// checkGroups checks the groups of clusters. Their names become parts of those of objects.
func (p *loaded) checkGroups(diags *source.Diagnostics) {
	seen := map[string]bool{}
	for i, group := range p.Policy.DecisionGroups {
		at, path := p.root.Get("policy", "decisionGroups").Items[i].Pos(), source.IndexPath("policy.decisionGroups", i)
		switch {
		case len(group.GroupName) < 2: // open-cluster-management-io/api, cluster/v1beta1, DecisionGroup
			diags.Errorf(at, rule.BadValue, path+".groupName", "%q is too short; expected at least two characters",
				group.GroupName)
		case !argocd.IsNamespace(group.GroupName):
			diags.Errorf(at, rule.BadValue, path+".groupName", namespaceRule, group.GroupName)
		case seen[group.GroupName]:
			diags.Errorf(at, rule.BadValue, path+".groupName",
				"%q names an earlier group; expected another name", group.GroupName)
		case len(group.ClusterSelector) == 0:
			diags.Errorf(at, rule.MissingKey, path+".clusterSelector", "missing; expected labels of the group's clusters")
		case group.RemediationAction != "" && p.Policy.RemediationAction != "inform":
			diags.Errorf(at, rule.Conflict, path+".remediationAction",
				"has no effect, because policies enforce on all clusters; add `policy.remediationAction: inform`")
		}
		seen[group.GroupName] = true
	}
}

func isPublicURL(given string) bool {
	_, secret, err := argocd.PublicURL(given)
	return err == nil && !secret
}

func isInRepository(dir string) bool {
	clean := path.Clean(dir)
	return !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}

// IsVersion reports whether charts can evaluate a version, such as "1.33".
func IsVersion(version string) bool {
	_, err := chartutil.ParseKubeVersion(version)
	return err == nil
}
