package layers

// placementSpec is the spec of a Placement (open-cluster-management-io/api v1.1.0,
// cluster/v1beta1/types_placement.go).
type placementSpec struct {
	ClusterSets      []string             `json:"clusterSets,omitempty"`
	Predicates       []placementPredicate `json:"predicates,omitempty"`
	DecisionStrategy *decisionStrategy    `json:"decisionStrategy,omitempty"`
}

type placementPredicate struct {
	RequiredClusterSelector clusterSelector `json:"requiredClusterSelector"`
}

type clusterSelector struct {
	LabelSelector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"labelSelector"`
}

type decisionStrategy struct {
	GroupStrategy struct {
		DecisionGroups []decisionGroup `json:"decisionGroups"`
	} `json:"groupStrategy"`
}

type decisionGroup struct {
	GroupName            string          `json:"groupName"`
	GroupClusterSelector clusterSelector `json:"groupClusterSelector"`
}

// placementBinding is a PlacementBinding, which has no spec
// (governance-policy-propagator v0.17.0, api/v1/placementbinding_types.go).
type placementBinding struct {
	kubeObject
	BindingOverrides *bindingOverrides `json:"bindingOverrides,omitempty"`
	PlacementRef     policyRef         `json:"placementRef"`
	SubFilter        string            `json:"subFilter,omitempty"`
	Subjects         []policyRef       `json:"subjects"`
}

// bindingOverrides replaces the remediation action of policies that inform.
type bindingOverrides struct {
	RemediationAction string `json:"remediationAction"`
}

type policyRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

func selectorOf(labels map[string]string) clusterSelector {
	var s clusterSelector
	s.LabelSelector.MatchLabels = labels
	return s
}

// clusterSets returns the cluster sets of the policies. A Placement chooses from sets
// that are bound to its namespace only; `global` has all clusters of the hub
// (open-cluster-management-io/api, cluster/v1beta2/types_managedclusterset.go).
func (w *policyWriter) clusterSets() []string {
	if len(w.Policy.ClusterSets) == 0 {
		return []string{"global"}
	}
	return w.Policy.ClusterSets
}

// bindings returns the objects that select the clusters and bind the policies to them.
// RHACM's propagator sends a policy to all clusters of a Placement whatever their
// decision groups (governance-policy-propagator v0.17.0, controllers/common). So groups
// that enforce have a Placement of their own, and a binding that overrides the action
// for clusters that the first one selects.
func (w *policyWriter) bindings() []any {
	var out []any
	for _, set := range w.clusterSets() {
		spec := map[string]string{"clusterSet": set}
		out = append(out, newObject(clusterBeta2, "ManagedClusterSetBinding", w.namespace, set, spec))
	}
	name := w.Metadata.Name
	all := w.placement(w.Policy.ClusterSelector)
	all.DecisionStrategy = w.strategy()
	out = append(out, newObject(clusterBeta, "Placement", w.namespace, name, all), w.binding(name, w.policies))
	for _, group := range w.Policy.DecisionGroups {
		if group.RemediationAction == "" || len(w.enforceable) == 0 {
			continue
		}
		name := w.Metadata.Name + "-" + group.GroupName
		bound := w.binding(name, w.enforceable)
		bound.BindingOverrides = &bindingOverrides{group.RemediationAction}
		bound.SubFilter = "restricted"
		out = append(out, newObject(clusterBeta, "Placement", w.namespace, name, w.placement(group.ClusterSelector)), bound)
	}
	return out
}

func (w *policyWriter) placement(selector map[string]string) placementSpec {
	spec := placementSpec{ClusterSets: w.clusterSets()}
	if len(selector) > 0 {
		spec.Predicates = []placementPredicate{{selectorOf(selector)}}
	}
	return spec
}

// strategy returns the groups that the clusters are divided into, for what honours
// them, or nil if there are none.
func (w *policyWriter) strategy() *decisionStrategy {
	if len(w.Policy.DecisionGroups) == 0 {
		return nil
	}
	s := new(decisionStrategy)
	for _, group := range w.Policy.DecisionGroups {
		s.GroupStrategy.DecisionGroups = append(s.GroupStrategy.DecisionGroups,
			decisionGroup{group.GroupName, selectorOf(group.ClusterSelector)})
	}
	return s
}

// binding binds policies to the Placement of the same name.
func (w *policyWriter) binding(name string, policies []*kubeObject) *placementBinding {
	bound := &placementBinding{
		kubeObject:   *newObject(policyAPI, "PlacementBinding", w.namespace, name, nil),
		PlacementRef: policyRef{"cluster.open-cluster-management.io", "Placement", name},
	}
	for _, p := range policies {
		bound.Subjects = append(bound.Subjects, policyRef{"policy.open-cluster-management.io", "Policy", p.Metadata.Name})
	}
	return bound
}
