package layers

// placementSpec is the spec of a Placement (open-cluster-management-io/api,
// cluster/v1beta1/types_placement.go).
type placementSpec struct {
	ClusterSets []string             `json:"clusterSets,omitempty"`
	Predicates  []placementPredicate `json:"predicates,omitempty"`
}

type placementPredicate struct {
	RequiredClusterSelector struct {
		LabelSelector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"labelSelector"`
	} `json:"requiredClusterSelector"`
}

// placementBinding is a PlacementBinding, which has no spec
// (governance-policy-propagator, api/v1/placementbinding_types.go).
type placementBinding struct {
	kubeObject
	PlacementRef policyRef   `json:"placementRef"`
	Subjects     []policyRef `json:"subjects"`
}

type policyRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
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

// binding returns the objects that select the clusters and bind all policies to them.
func (w *policyWriter) binding() []any {
	var out []any
	for _, set := range w.clusterSets() {
		spec := map[string]string{"clusterSet": set}
		out = append(out, newObject(clusterBeta2, "ManagedClusterSetBinding", w.namespace, set, spec))
	}
	spec := placementSpec{ClusterSets: w.clusterSets()}
	if selector := w.Policy.ClusterSelector; len(selector) > 0 {
		var p placementPredicate
		p.RequiredClusterSelector.LabelSelector.MatchLabels = selector
		spec.Predicates = []placementPredicate{p}
	}
	name := w.Metadata.Name
	bound := placementBinding{
		kubeObject:   *newObject(policyAPI, "PlacementBinding", w.namespace, name, nil),
		PlacementRef: policyRef{"cluster.open-cluster-management.io", "Placement", name},
	}
	for _, p := range w.policies {
		bound.Subjects = append(bound.Subjects, policyRef{"policy.open-cluster-management.io", "Policy", p.Metadata.Name})
	}
	return append(out, newObject(clusterBeta, "Placement", w.namespace, name, spec), bound)
}
