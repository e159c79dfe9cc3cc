package flux

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Kustomization applies a directory of a source, and deletes what is no longer in it.
type Kustomization struct {
	APIVersion string   `json:"apiVersion"` // kustomize.toolkit.fluxcd.io/v1
	Kind       string   `json:"kind"`       // Kustomization
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata is the metadata of a Kustomization.
type Metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// Spec is what a Kustomization applies, and how. Durations have the form of Go, such as "10m".
type Spec struct {
	// DependsOn are Kustomizations of the same namespace that have applied the same revision of the source, and are
	// ready.
	DependsOn     []Reference `json:"dependsOn,omitempty"`
	Interval      string      `json:"interval"`
	RetryInterval string      `json:"retryInterval"`
	Timeout       string      `json:"timeout"`
	SourceRef     Source      `json:"sourceRef"`
	Path          string      `json:"path"`
	Prune         bool        `json:"prune"`
	// Wait waits until all objects are healthy.
	Wait             bool     `json:"wait"`
	HealthCheckExprs []Health `json:"healthCheckExprs,omitempty"`
	// Ignore are fields that Flux leaves as they are in the cluster.
	Ignore []Ignore `json:"ignore,omitempty"`
}

// Reference is a Kustomization by its name.
type Reference struct {
	Name string `json:"name"`
}

// Source is the object that has fetched the manifests.
type Source struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Health contains the expressions, in CEL, by which Flux judges objects of a kind.
type Health struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Failed     string `json:"failed,omitempty"`
	Current    string `json:"current"`
}

// Ignore are JSON pointers to fields of the objects that the target selects.
type Ignore struct {
	Paths  []string `json:"paths"`
	Target Target   `json:"target"`
}

// Target selects objects by their kind.
type Target struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// Order is what the Kustomizations of a fleet have in common.
type Order struct {
	Name      string // what their names begin with
	Namespace string // of the Kustomizations and of the source
	Fleet     string // for a label
	Source    Source
	Path      string   // of the directory with those of the waves, in the source
	Ignore    []string // JSON pointers to fields of VirtualMachines
}

// SourceKinds are the kinds of sources that a Kustomization can have.
var SourceKinds = []string{"GitRepository", "OCIRepository", "Bucket"}

// The directories that are not named after a wave: Jobs run together with the last wave of VMs, and After when all of
// these are healthy.
const (
	Jobs  = "jobs"
	After = "after"
)

const wavePrefix = "wave-"

// LastWave is that of what runs after all waves; users can set waves up to half of it.
const LastWave = 2_000_000

// Directory returns the directory of a wave, by the text of [labels.Wave].
func Directory(wave string) string {
	if wave == strconv.Itoa(LastWave) {
		return After
	}
	return wavePrefix + wave
}

//go:embed health.yaml
var healthTable []byte

// HealthChecks returns the expressions for the kinds that fleets are rendered to.
func HealthChecks() ([]Health, error) {
	var checks []Health
	if err := yaml.UnmarshalStrict(healthTable, &checks); err != nil {
		return nil, fmt.Errorf("reading the table of health checks: %w", err)
	}
	return checks, nil
}

// Kustomizations returns a Kustomization for each directory that has objects: each wave waits for the one before.
//
// Jobs wait for the waves before the last one, as in Argo CD: a rollout may make a VM of the last wave healthy.
// Nothing waits for them, because Flux looks at no newer commit while it waits.
func Kustomizations(o *Order, dirs []string) ([]Kustomization, error) {
	checks, err := HealthChecks()
	if err != nil {
		return nil, err
	}
	waves := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !strings.HasPrefix(dir, wavePrefix) })
	slices.SortFunc(waves, func(a, b string) int { return number(a) - number(b) })
	var out []Kustomization
	for i, dir := range waves {
		k := o.kustomization(dir, waves[:i])
		k.Spec.Wait, k.Spec.HealthCheckExprs = true, checks
		out = append(out, k)
	}
	if slices.Contains(dirs, Jobs) {
		out = append(out, o.kustomization(Jobs, waves[:max(len(waves)-1, 0)]))
	}
	if slices.Contains(dirs, After) {
		out = append(out, o.kustomization(After, waves))
	}
	return out, nil
}

// kustomization returns that of a directory, which waits for the last of the earlier ones.
func (o *Order) kustomization(dir string, earlier []string) Kustomization {
	spec := Spec{
		Interval: "10m", RetryInterval: "1m", Timeout: "10m",
		SourceRef: o.Source, Path: "./" + path.Join(o.Path, dir), Prune: true,
	}
	if n := len(earlier); n > 0 {
		spec.DependsOn = []Reference{{o.Name + "-" + earlier[n-1]}}
	}
	if len(o.Ignore) > 0 {
		spec.Ignore = []Ignore{{o.Ignore, Target{"kubevirt.io", "VirtualMachine"}}}
	}
	return Kustomization{
		APIVersion: "kustomize.toolkit.fluxcd.io/v1", Kind: "Kustomization",
		Metadata: Metadata{
			Name: o.Name + "-" + dir, Namespace: o.Namespace, Labels: map[string]string{labels.Fleet: o.Fleet},
		},
		Spec: spec,
	}
}

// number returns the number of a wave by its directory.
func number(dir string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(dir, wavePrefix)) // which Directory has written
	return n
}
