// Package versions lists which versions of KubeVirt, CDI and Argo CD have what: the features that fleets use, and the
// feature gates that they need. It is one table, which checks of fleets, predictions of upgrades and the reference
// read.
package versions

// Product is a project whose version decides what there is.
type Product string

// The products.
const (
	ArgoCD   Product = "argocd"
	CDI      Product = "cdi"
	KubeVirt Product = "kubevirt"
)

// Feature is something that not every version of a product has.
type Feature struct {
	Name    string  `json:"name"`
	Product Product `json:"product"`
	// Since is the first version with the feature, such as "1.6". It is empty if no known version has it.
	Since string `json:"since,omitempty"`
	// Kind and Field are where objects use it, by their own names: "VirtualMachine" and
	// "spec.template.spec.domain.rebootPolicy", with "[]" after a list. They are empty if a key of the values files sets
	// it in another way.
	Kind  string `json:"kind,omitempty"`
	Field string `json:"field,omitempty"`
	// Gate is the feature gate that must be on; empty if there is none.
	Gate string `json:"gate,omitempty"`
	// Instead is what to use on a target that does not have the feature, if there is something.
	Instead string `json:"instead,omitempty"`
	// Source is where the fact was read: project, version and file.
	Source string `json:"source"`
}

// Newest is the newest version of KubeVirt that the table is about.
const Newest = "1.9"

// MissingIn reports whether a version of the product, such as "1.6" or "v1.6.2", does not have the feature. An empty or
// broken version is the newest one that the table is about. A later one has every feature, as far as is known.
func (f *Feature) MissingIn(version string) bool {
	v := Parse(version)
	if f.Since == "" {
		return !v.IsKnown() || !Parse(Newest).Before(v.Minor())
	}
	return v.Before(Parse(f.Since))
}

// First returns the first version with the feature, for tables.
func (f *Feature) First() string {
	if f.Since == "" {
		return "none up to " + Newest
	}
	return f.Since
}

// Gate is a feature gate of KubeVirt.
type Gate struct {
	Name string `json:"name"`
	// Since is the first version with the gate; empty if all versions that the table is about have it.
	Since string `json:"since,omitempty"`
	// On is the first version in which it is on unless the cluster reports otherwise; empty if there is none yet.
	On string `json:"on,omitempty"`
}

// Named returns the feature of a name, or nil if there is none.
func Named(name string) *Feature {
	for i := range features {
		if features[i].Name == name {
			return &features[i]
		}
	}
	return nil
}

// Features returns all features, by product, version and name.
func Features() []Feature { return append([]Feature(nil), features...) }

// Row is a feature in a listing.
type Row struct {
	Feature
	// GateOn is the first version in which the feature's gate is on by default; empty if there is none.
	GateOn string `json:"gateOn,omitempty"`
}

// Rows returns all features with their gates, by product, version and name.
func Rows() []Row {
	rows := make([]Row, len(features))
	for i, f := range features {
		rows[i].Feature = f
		for _, g := range gates {
			if g.Name == f.Gate {
				rows[i].GateOn = g.On
			}
		}
	}
	return rows
}

// GateOn reports whether a feature gate is on by default in a version of KubeVirt. Gates that are not in the table
// never are.
func GateOn(name, version string) bool {
	for _, g := range gates {
		if g.Name == name {
			return g.On != "" && !Before(version, g.On)
		}
	}
	return false
}

// HasGate reports whether a version of KubeVirt has a feature gate. It ignores the names of others. Gates that are not
// in the table count as known.
func HasGate(name, version string) bool {
	for _, g := range gates {
		if g.Name == name {
			return g.Since == "" || !Before(version, g.Since)
		}
	}
	return true
}

// Range is the minor versions of a product between which facts are known.
type Range struct{ Oldest, Newest string }

// Known returns the versions between which facts are known, by product; OpenShift is "openshift".
func Known() map[Product]Range {
	return map[Product]Range{
		ArgoCD: {"2.13", "3.6"}, CDI: {"1.57", "1.66"}, KubeVirt: {"1.4", Newest}, "openshift": {"4.18", "4.23"},
	}
}
