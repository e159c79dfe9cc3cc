package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// The resources of the Operator Lifecycle Manager that an approval reads and writes
// (operator-framework/api, pkg/operators/v1alpha1).
var (
	olm             = schema.GroupVersion{Group: "operators.coreos.com", Version: "v1alpha1"}
	installPlans    = olm.WithResource("installplans")
	serviceVersions = olm.WithResource("clusterserviceversions")
)

// versionForm matches the name of a ClusterServiceVersion.
var versionForm = lazyregexp.New(`^[a-z0-9][-a-z0-9.]*\.v?[0-9]\S*$`)

// ParseVersions checks names of ClusterServiceVersions, of which there is at least one.
func ParseVersions(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, errors.New("no version; expected names of ClusterServiceVersions, such as nmstate.v4.20.1")
	}
	for _, name := range args {
		if !versionForm().MatchString(name) {
			return nil, fmt.Errorf("invalid version %q; "+
				"expected the name of a ClusterServiceVersion, such as nmstate.v4.20.1", name)
		}
	}
	return args, nil
}

// installPlan is an InstallPlan.
type installPlan struct {
	name, revision string
	versions       []string // names of the ClusterServiceVersions that it installs
	approved       bool
}

// Approve approves the InstallPlans of a namespace that install the given versions and no
// others, and returns when each version is installed or approved. It waits while the API
// server does not answer or refuses, until that is an [UnavailableError].
func (c *Cluster) Approve(ctx context.Context, versions []string, o Options) error {
	c = c.patient(&o)
	deadline, said := o.Now().Add(o.Timeout), ""
	for {
		plans, missing, err := c.look(ctx, versions, o)
		waiting := "waiting for an InstallPlan with " + strings.Join(missing, ", ") + offers(plans)
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case isTrouble(err):
			waiting = err.Error() + "; trying again"
		case err != nil || len(missing) == 0:
			return err
		}
		if waiting != said {
			o.logf("%s", waiting)
			said = waiting
		}
		if o.Now().After(deadline) && err == nil {
			return fmt.Errorf("no InstallPlan with %s after %s%s; "+
				"is it in the channel, and the next version of what is installed?",
				strings.Join(missing, ", "), o.Timeout, offers(plans))
		}
		if !o.pause(ctx) {
			return ErrInterrupted
		}
	}
}

// look approves what can be approved, and returns all plans and the versions that have
// none.
func (c *Cluster) look(
	ctx context.Context, versions []string, o Options,
) (plans []installPlan, missing []string, err error) {
	if plans, err = c.plans(ctx, o.Namespace); err == nil {
		err = c.approveAll(ctx, plans, versions, o)
	}
	if err == nil {
		missing, err = c.missing(ctx, plans, versions, o.Namespace)
	}
	return plans, missing, err
}

// approveAll approves the plans with nothing but the given versions, and marks them.
func (c *Cluster) approveAll(ctx context.Context, plans []installPlan, versions []string, o Options) error {
	for i := range plans {
		p := &plans[i]
		if p.approved || !p.within(versions) {
			continue
		}
		err := c.approve(ctx, o.Namespace, p)
		if apierrors.IsConflict(err) {
			continue // it has changed, and may install something else now
		}
		if err != nil {
			return err
		}
		p.approved = true
		o.logf("approved InstallPlan %s: %s", p.name, strings.Join(p.versions, ", "))
	}
	return nil
}

// within reports whether a plan installs something, and only some of the given versions.
func (p *installPlan) within(versions []string) bool {
	other := func(v string) bool { return !slices.Contains(versions, v) }
	return len(p.versions) > 0 && !slices.ContainsFunc(p.versions, other)
}

// offers returns the end of a message that lists the plans that wait for others.
func offers(plans []installPlan) string {
	var waiting []string
	for _, p := range plans {
		if !p.approved {
			waiting = append(waiting, p.name+" ("+strings.Join(p.versions, ", ")+")")
		}
	}
	if waiting == nil {
		return ""
	}
	return "; not approved: " + strings.Join(waiting, "; ")
}

// missing returns the versions that are neither installed nor in an approved plan.
func (c *Cluster) missing(
	ctx context.Context, plans []installPlan, versions []string, namespace string,
) ([]string, error) {
	done := map[string]bool{}
	for _, p := range plans {
		for _, v := range p.versions {
			done[v] = done[v] || p.approved
		}
	}
	installed, err := c.list(ctx, serviceVersions, namespace)
	if err != nil {
		return nil, err
	}
	for i := range installed {
		done[installed[i].GetName()] = true
	}
	return slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return done[v] }), nil
}

// plans returns the InstallPlans of a namespace.
func (c *Cluster) plans(ctx context.Context, namespace string) ([]installPlan, error) {
	items, err := c.list(ctx, installPlans, namespace)
	out := make([]installPlan, 0, len(items))
	for i := range items {
		versions, _, _ := unstructured.NestedStringSlice(items[i].Object, "spec", "clusterServiceVersionNames")
		approved, _, _ := unstructured.NestedBool(items[i].Object, "spec", "approved")
		out = append(out, installPlan{items[i].GetName(), items[i].GetResourceVersion(), versions, approved})
	}
	return out, err
}

func (c *Cluster) list(
	ctx context.Context, resource schema.GroupVersionResource, namespace string,
) (items []unstructured.Unstructured, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	list, err := c.objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		items = list.Items
	}
	return items, c.answered(err, "list", resource, namespace)
}

// approve approves a plan, unless it has changed since it was read.
func (c *Cluster) approve(ctx context.Context, namespace string, p *installPlan) error {
	patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"approved":true}}`, p.revision)
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := c.objects.Resource(installPlans).Namespace(namespace).
		Patch(ctx, p.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return c.answered(err, "patch", installPlans, namespace)
}
