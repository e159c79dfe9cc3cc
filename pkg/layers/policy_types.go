package layers

import "encoding/json"

const (
	policyAPI    = "policy.open-cluster-management.io/v1"
	policyBeta   = "policy.open-cluster-management.io/v1beta1"
	clusterBeta  = "cluster.open-cluster-management.io/v1beta1"
	clusterBeta2 = "cluster.open-cluster-management.io/v1beta2"
)

// kubeObject is an object of any kind. Its kind defines Spec, and any other fields next
// to it.
type kubeObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec any `json:"spec,omitempty"`
}

func newObject(apiVersion, kind, namespace, name string, spec any) *kubeObject {
	o := &kubeObject{APIVersion: apiVersion, Kind: kind, Spec: spec}
	o.Metadata.Namespace, o.Metadata.Name = namespace, name
	return o
}

// keepBraces keeps the controllers from evaluating what looks like their templates: all
// templates of ours are expanded, so braces are meant for others, such as Prometheus or
// Kyverno (config-policy-controller, controllers/configurationpolicy_controller.go, and
// governance-policy-propagator, controllers/propagator/replication.go).
func (o *kubeObject) keepBraces() {
	o.Metadata.Annotations = map[string]string{"policy.open-cluster-management.io/disable-templates": "true"}
}

// policySpec is the spec of a Policy of Red Hat Advanced Cluster Management
// (open-cluster-management-io/governance-policy-propagator, api/v1/policy_types.go).
type policySpec struct {
	RemediationAction string           `json:"remediationAction"`
	Disabled          bool             `json:"disabled"`
	Dependencies      []dependency     `json:"dependencies,omitempty"`
	Templates         []policyTemplate `json:"policy-templates"`
}

type dependency struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Compliance string `json:"compliance"`
}

type policyTemplate struct {
	ObjectDefinition  *kubeObject  `json:"objectDefinition"`
	ExtraDependencies []dependency `json:"extraDependencies,omitempty"`
}

// configurationSpec is the spec of a ConfigurationPolicy
// (open-cluster-management-io/config-policy-controller,
// api/v1/configurationpolicy_types.go).
type configurationSpec struct {
	RemediationAction   string           `json:"remediationAction"`
	Severity            string           `json:"severity"`
	PruneObjectBehavior string           `json:"pruneObjectBehavior"`
	ObjectTemplates     []objectTemplate `json:"object-templates"`
}

type objectTemplate struct {
	ComplianceType   string          `json:"complianceType"`
	RecreateOption   string          `json:"recreateOption,omitempty"`
	ObjectDefinition json.RawMessage `json:"objectDefinition"`
}

// operatorSpec is the spec of an OperatorPolicy (config-policy-controller,
// api/v1beta1/operatorpolicy_types.go).
type operatorSpec struct {
	RemediationAction string         `json:"remediationAction"`
	Severity          string         `json:"severity"`
	ComplianceType    string         `json:"complianceType"`
	OperatorGroup     map[string]any `json:"operatorGroup,omitempty"`
	Subscription      map[string]any `json:"subscription"`
	UpgradeApproval   string         `json:"upgradeApproval"`
	Versions          []string       `json:"versions,omitempty"`
}
