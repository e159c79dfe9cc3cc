package openshift

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// This file follows operator-framework/operator-lifecycle-manager v0.40.0: the catalog
// operator (pkg/controller/operators/catalog/operator.go), and the controller of
// ClusterServiceVersions (pkg/controller/operators/olm/operator.go). It uses one
// InstallPlan per Subscription instead of one per namespace.

var (
	subscriptionKind = kind("operators.coreos.com", "v1alpha1", "Subscription")
	installPlanKind  = kind("operators.coreos.com", "v1alpha1", "InstallPlan")
	versionKind      = kind("operators.coreos.com", "v1alpha1", "ClusterServiceVersion")
	groupKind        = kind("operators.coreos.com", "v1", "OperatorGroup")
	definitionKind   = kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
)

// subscriptions resolves Subscriptions. One that the catalog can satisfy gets an
// InstallPlan, and is at the latest version as soon as the ClusterServiceVersion exists
// (ensureSubscriptionCSVState).
func (o *OpenShift) subscriptions(ctx context.Context) error {
	return o.each(ctx, subscriptionKind, func(s *unstructured.Unstructured) error {
		name, channel := get[string](s, "spec", "name"), get[string](s, "spec", "channel")
		if !slices.Contains(o.release.channels(name), channel) {
			return o.setSubscription(ctx, s, "", condition("ResolutionFailed", true, "ConstraintsNotSatisfiable",
				fmt.Sprintf("constraints not satisfiable: no operators found in channel %s of package %s in the catalog", channel, name)))
		}
		for _, version := range o.upgrades(s) {
			made, err := o.find(ctx, versionKind, s.GetNamespace(), version)
			if err != nil {
				return err
			}
			if made == nil {
				return o.plan(ctx, s, version)
			}
			if err := o.setStatus(ctx, s, map[string]any{"installedCSV": version}); err != nil {
				return err
			}
		}
		return o.setSubscription(ctx, s, "AtLatestKnown")
	})
}

// upgrades returns the versions that a Subscription goes through: its starting version
// and the latest of its channel.
func (o *OpenShift) upgrades(s *unstructured.Unstructured) []string {
	latest := o.release.version(get[string](s, "spec", "name"))
	return slices.Compact([]string{cmp.Or(get[string](s, "spec", "startingCSV"), latest), latest})
}

// plan creates the InstallPlan of a Subscription if there is none.
func (o *OpenShift) plan(ctx context.Context, s *unstructured.Unstructured, version string) error {
	name, approval := "install-"+version, get[string](s, "spec", "installPlanApproval")
	found, err := o.find(ctx, installPlanKind, s.GetNamespace(), name)
	if err != nil {
		return err
	}
	if found == nil {
		err := o.make(ctx, installPlanKind, s.GetNamespace(), name, map[string]any{"spec": map[string]any{
			"approval": cmp.Or(approval, "Automatic"), "approved": approval != "Manual",
			"clusterServiceVersionNames": []any{version}, "generation": int64(1),
		}})
		if err != nil {
			return err
		}
	}
	reference := map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan", "name": name, "namespace": s.GetNamespace(),
	}
	if err := o.setStatus(ctx, s, map[string]any{"currentCSV": version, "installPlanRef": reference, "lastUpdated": moment}); err != nil {
		return err
	}
	return o.setSubscription(ctx, s, "UpgradePending")
}

func (o *OpenShift) setSubscription(ctx context.Context, s *unstructured.Unstructured, state string, conditions ...any) error {
	healthy := condition("CatalogSourcesUnhealthy", false, "AllCatalogSourcesHealthy", "all available catalogsources are healthy")
	fields := map[string]any{"conditions": append([]any{healthy}, conditions...), "lastUpdated": moment}
	if state != "" {
		fields["state"] = state
	}
	return o.setStatus(ctx, s, fields)
}

// installPlans carries out approved InstallPlans: first the definitions, then the
// ClusterServiceVersion.
func (o *OpenShift) installPlans(ctx context.Context) error {
	return o.each(ctx, installPlanKind, func(plan *unstructured.Unstructured) error {
		phase := get[string](plan, "status", "phase")
		set := func(phase string) error {
			return o.setStatus(ctx, plan, map[string]any{"phase": phase, "catalogSources": []any{}})
		}
		switch {
		case phase == "Complete":
			return nil
		case !get[bool](plan, "spec", "approved"):
			return set("RequiresApproval")
		case phase != "Installing":
			return set("Installing")
		}
		for _, v := range get[[]any](plan, "spec", "clusterServiceVersionNames") {
			version, _ := v.(string) //nolint:errcheck // as the schema says
			if err := o.carryOut(ctx, plan.GetNamespace(), version); err != nil {
				return err
			}
		}
		return set("Complete")
	})
}

func (o *OpenShift) carryOut(ctx context.Context, namespace, version string) error {
	name, p := o.release.providing(version)
	if err := o.install(ctx, map[string]string{componentKey(name, namespace): ""}, p.definitions...); err != nil {
		return err
	}
	var owned []any
	for _, name := range p.definitions {
		d := o.definitions[name]
		owned = append(owned, map[string]any{
			"name": name, "kind": get[string](d, "spec", "names", "kind"), "version": "v1",
		})
	}
	return o.make(ctx, versionKind, namespace, version, map[string]any{"spec": map[string]any{
		"displayName": version, "install": map[string]any{"strategy": "deployment"},
		"customresourcedefinitions": map[string]any{"owned": owned},
	}})
}

// versions moves ClusterServiceVersions from phase to phase (transitionCSVState).
func (o *OpenShift) versions(ctx context.Context) error {
	next := map[string]string{"": "Pending", "Pending": "InstallReady", "InstallReady": "Installing", "Installing": "Succeeded"}
	return o.each(ctx, versionKind, func(version *unstructured.Unstructured) error {
		set := func(phase, reason, message string) error {
			return o.setStatus(ctx, version, map[string]any{"phase": phase, "reason": reason, "message": message})
		}
		all, err := o.all(ctx, groupKind)
		if err != nil {
			return err
		}
		groups := 0
		for _, group := range all {
			if group.GetNamespace() == version.GetNamespace() {
				groups++
			}
		}
		name, _ := o.release.providing(version.GetName())
		phase := get[string](version, "status", "phase")
		switch reason := o.failure(name); {
		case groups != 1:
			return set("Failed", "NoOperatorGroup", fmt.Sprintf("csv in namespace with %d operatorgroups", groups))
		case reason != "" && (phase == "Installing" || phase == "Failed"):
			return set("Failed", "InstallCheckFailed", reason)
		case phase == "Failed":
			return set("Pending", "NeedsReinstall", "")
		case phase == "Succeeded":
			return nil
		}
		return set(next[phase], "", "")
	})
}
