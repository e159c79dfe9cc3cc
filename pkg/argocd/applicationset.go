package argocd

// ApplicationSet is a template, and generators of the parameters for each Application.
type ApplicationSet struct {
	APIVersion string             `json:"apiVersion"` // [APIVersion]
	Kind       string             `json:"kind"`       // "ApplicationSet"
	Metadata   ObjectMeta         `json:"metadata"`
	Spec       ApplicationSetSpec `json:"spec"`
}

// ApplicationSetSpec is the specification of an ApplicationSet.
type ApplicationSetSpec struct {
	GoTemplate        bool                      `json:"goTemplate,omitempty"`
	GoTemplateOptions []string                  `json:"goTemplateOptions,omitempty"`
	Generators        []ApplicationSetGenerator `json:"generators"`
	Strategy          *ApplicationSetStrategy   `json:"strategy,omitempty"` // nil syncs all at the same time
	SyncPolicy        *ApplicationSetSyncPolicy `json:"syncPolicy,omitempty"`
	Template          ApplicationSetTemplate    `json:"template"`
}

// ApplicationSetGenerator is one of the generators; Matrix combines two.
type ApplicationSetGenerator struct {
	Git      *GitGenerator     `json:"git,omitempty"`
	Clusters *ClusterGenerator `json:"clusters,omitempty"`
	Matrix   *MatrixGenerator  `json:"matrix,omitempty"`
}

// GitGenerator generates the parameters of the directories of a repository: path.path,
// path.segments and path.basename. It skips directories whose name begins with a dot.
type GitGenerator struct {
	RepoURL     string                      `json:"repoURL"`
	Revision    string                      `json:"revision"`
	Directories []GitDirectoryGeneratorItem `json:"directories"`
}

// GitDirectoryGeneratorItem includes the directories that Path matches, or excludes
// them, which takes precedence. Path is a pattern of Go's package path: a star does not
// match a slash.
type GitDirectoryGeneratorItem struct {
	Path    string `json:"path"`
	Exclude bool   `json:"exclude,omitempty"`
}

// ClusterGenerator generates the parameters of the clusters whose Secret in Argo CD has
// matching labels: name, nameNormalized, server and metadata.labels.
type ClusterGenerator struct {
	Selector LabelSelector `json:"selector"`
}

// LabelSelector is the part of a Kubernetes label selector that compares labels.
type LabelSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// MatrixGenerator combines each parameter set of the first generator with each of the
// second.
type MatrixGenerator struct {
	Generators []ApplicationSetGenerator `json:"generators"`
}

// ApplicationSetStrategy defines the order in which the Applications are synced.
type ApplicationSetStrategy struct {
	Type        string                         `json:"type"` // "RollingSync"
	RollingSync *ApplicationSetRolloutStrategy `json:"rollingSync,omitempty"`
}

// ApplicationSetRolloutStrategy is a list of steps. An Application that is in none of
// them is never synced.
type ApplicationSetRolloutStrategy struct {
	Steps []ApplicationSetRolloutStep `json:"steps"`
}

// ApplicationSetRolloutStep selects Applications, all of which must be Healthy
// before the next step begins.
type ApplicationSetRolloutStep struct {
	MatchExpressions []ApplicationMatchExpression `json:"matchExpressions"`
	// MaxUpdate is how many are synced at a time: an int, or a string with a
	// percentage; nil is all.
	MaxUpdate any `json:"maxUpdate,omitempty"`
}

// ApplicationMatchExpression compares a label of an Application; Operator is
// "In" or "NotIn".
type ApplicationMatchExpression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// ApplicationSetSyncPolicy defines what happens to the objects of an Application that
// is no longer generated.
type ApplicationSetSyncPolicy struct {
	PreserveResourcesOnDeletion bool `json:"preserveResourcesOnDeletion,omitempty"`
}

// ApplicationSetTemplate is an Application with templates in its strings.
type ApplicationSetTemplate struct {
	Metadata ObjectMeta      `json:"metadata"`
	Spec     ApplicationSpec `json:"spec"`
}

// NewApplicationSet returns an ApplicationSet with its apiVersion and kind.
func NewApplicationSet(meta ObjectMeta, spec ApplicationSetSpec) ApplicationSet {
	return ApplicationSet{APIVersion: APIVersion, Kind: "ApplicationSet", Metadata: meta, Spec: spec}
}
