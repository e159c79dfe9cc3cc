package layers

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// marketplace is the namespace of OpenShift's own catalogs, which serve all namespaces.
const marketplace = "openshift-marketplace"

// defaultSources are the catalogs that OpenShift provides (operator-framework/
// operator-marketplace, pkg/defaults, and the OperatorHub of config.openshift.io).
var defaultSources = []string{"certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"}

// catalogs are the catalogs of operators of a platform, as NAMESPACE/NAME.
type catalogs struct {
	known []string
	own   bool // whether the platform has any of its own
	off   bool // whether OpenShift's are switched off
}

// checkCatalogs checks that the catalogs exist that Subscriptions name. If the platform
// creates none, they may exist by other means.
func (p *loaded) checkCatalogs(layers []rendered, diags *source.Diagnostics) {
	if !p.openShift() {
		return
	}
	found := findCatalogs(layers)
	for _, r := range layers {
		for _, o := range r.objects {
			if o.Kind == "Subscription" {
				found.check(r, o, diags)
			}
		}
	}
}

// findCatalogs returns the catalogs of all layers, and OpenShift's own unless they are
// switched off.
func findCatalogs(layers []rendered) catalogs {
	var c catalogs
	for _, r := range layers {
		for _, o := range r.objects {
			switch o.Kind {
			case "CatalogSource":
				c.own, c.known = true, append(c.known, o.Namespace+"/"+o.Name)
			case "OperatorHub":
				c.off = strings.Contains(string(o.JSON), `"disableAllDefaultSources":true`)
			}
		}
	}
	if !c.off {
		for _, name := range defaultSources {
			c.known = append(c.known, marketplace+"/"+name)
		}
	}
	return c
}

func (c *catalogs) check(r rendered, o manifest.Object, diags *source.Diagnostics) {
	var subscription struct {
		Spec struct {
			Source          string `json:"source"`
			SourceNamespace string `json:"sourceNamespace"`
		} `json:"spec"`
	}
	if json.Unmarshal(o.JSON, &subscription) != nil || subscription.Spec.Source == "" {
		return
	}
	name := subscription.Spec.SourceNamespace + "/" + subscription.Spec.Source
	if slices.Contains(c.known, name) {
		return
	}
	at, path := r.namedSource(subscription.Spec.Source)
	report, hint := diags.Warnf, "if nothing else creates it, add the layer catalog"
	if c.own || c.off {
		report, hint = diags.Errorf, suggest.DidYouMean(name, c.known)
	}
	instead := "and it is none of OpenShift's own"
	if c.off {
		instead = "and OpenShift's own are switched off"
	}
	report(at, rule.UnknownCatalog, path, "%s: no layer creates the CatalogSource %q, %s; %s", o.ID, name, instead, hint)
}

// namedSource returns the place of the values that name a catalog, or that of the layer
// if it is a default of the chart.
func (r rendered) namedSource(name string) (source.Pos, string) {
	for _, operator := range r.Values.Get("operators").Entries() {
		if operator.Value.Get("source").Str() == name {
			return r.locate(r.Values, []string{"operators", operator.Key, "source"})
		}
	}
	return r.locate(r.Values, []string{"catalog", "source"})
}
