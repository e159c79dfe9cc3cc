package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/fleetgen"
)

// hostile are pieces of VM keys that try to take protection away, and harmless ones; an overlay merges some of them
// over every VM of a generated fleet. KEY and VALUE stand for a guarded key and a value.
var hostile = []string{
	`disks: {root: {dataVolume: {metadata: {annotations: null}}}}`,
	`disks: {root: {dataVolume: {metadata: null}}}`,
	`disks: {root: {dataVolume: {metadata: {labels: null}}}}`,
	`disks: {root: {dataVolume: {metadata: {annotations: {"KEY": VALUE}}}}}`,
	`disks: {root: {dataVolume: {metadata: {labels: {"KEY": VALUE}}}}}`,
	`disks: {root: {dataVolume: {metadata: {annotations: {example.org/a: b}}}}}`,
	`disks: {extra: {size: 1Gi, dataVolume: {metadata: {annotations: {"KEY": VALUE}}}}}`,
	`disks: {extra: {size: 1Gi, dataVolume: {metadata: {annotations: null}}}}`,
	`disks: {extra: {size: 1Gi}}`,
	`annotations: {"KEY": VALUE}`,
	`annotations: {example.org/a: b}`,
	`labels: {"KEY": VALUE}`,
	`podAnnotations: {"KEY": VALUE}`,
	`overrides: {metadata: {annotations: null}}`,
	`overrides: {metadata: {labels: null}}`,
	`overrides: {metadata: null}`,
	`overrides: {metadata: {annotations: {"KEY": VALUE}}}`,
	`overrides: {metadata: {labels: {"KEY": VALUE}}}`,
	`overrides: {metadata: {finalizers: [a/b]}}`,
	`overrides: {metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: b}]}}`,
	`overrides: {spec: {template: {metadata: {annotations: {"KEY": VALUE}, finalizers: [a/b]}}}}`,
	`overrides: {spec: {dataVolumeTemplates: null}}`,
	`patches: [{op: remove, path: /metadata/annotations}]`,
	`patches: [{op: replace, path: /metadata/annotations, value: {"KEY": VALUE}}]`,
	`patches: [{op: add, path: /metadata/labels, value: {"KEY": VALUE}}]`,
	`patches: [{op: move, from: /metadata/annotations, path: /metadata/labels}]`,
	`patches: [{op: add, path: /metadata/finalizers, value: [a/b]}]`,
	`patches: [{op: add, path: /metadata/labels/team, value: web}]`,
	`services: {extra: {port: 80, annotations: {"KEY": VALUE}}}`,
	`services: {extra: {port: 80, labels: {"KEY": VALUE}}}`,
	`services: {extra: {port: 80, overrides: {metadata: {annotations: null, labels: null}}}}`,
	`services: {extra: {port: 80, overrides: {metadata: {annotations: {"KEY": VALUE}, finalizers: [a/b]}}}}`,
	`services: {extra: {port: 80, overrides: {spec: {externalIPs: [192.0.2.1]}}}}`,
	`services: {extra: {port: 80}}`,
	`objects: {extra: {apiVersion: v1, kind: ConfigMap, metadata: {annotations: {"KEY": VALUE}}}}`,
	`objects: {extra: {apiVersion: v1, kind: ConfigMap, metadata: {annotations: null}}}`,
	`objects: {extra: {apiVersion: v1, kind: ConfigMap, metadata: {name: same}}}`,
	`objects: {extra: {apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token}}`,
	`objects: {extra: {apiVersion: v1, kind: Secret, metadata: {name: "{{ .vm.name }}-cloudinit"}}}`,
	`objects: {extra: {apiVersion: snapshot.kubevirt.io/v1beta1, kind: VirtualMachineRestore}}`,
	`objects: {extra: {apiVersion: v1, kind: ConfigMap}}`,
}

var (
	guardedKeys = []string{
		"argocd.argoproj.io/sync-options", "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/hook",
		"argocd.argoproj.io/compare-options", "argocd.argoproj.io/hook-delete-policy", "argocd.argoproj.io/tracking-id",
		"helm.sh/hook", "helm.sh/hook-weight", "vmrender.io/lifecycle", "vmrender.io/on-change", "vmrender.io/disk",
		"vmrender.io/rollout", "vmrender.io/content", "vmrender.io/approved", "kubevirt.io/vm-delete-protection",
		"vmrender.io/wave", "kustomize.toolkit.fluxcd.io/prune", "kustomize.toolkit.fluxcd.io/force",
		"kustomize.toolkit.fluxcd.io/ssa", "kustomize.toolkit.fluxcd.io/reconcile", "kustomize.toolkit.fluxcd.io/name",
	}
	hostileValues = []string{
		`null`, `""`, `Prune=true`, `Prune=false`, `"Delete=true,Prune=true"`, `"Force=true"`,
		`IgnoreExtraneous`, `"5"`, `PreSync`, `cattle`, `enabled`, `disabled`, `Ignore`,
	}
)

// TestPromises proves that no input takes away what the lifecycle promises: it adds pieces of hostile keys to generated
// fleets, and reads the output on its own. Flags of TestFleets set the number of fleets.
func TestPromises(t *testing.T) {
	t.Chdir(t.TempDir())
	judged := 0
	for seed := *first; seed < *first+*fleets; seed++ {
		f := fleetgen.New(seed)
		require.NoError(t, rewrite(f))
		if seed%4 == 0 {
			require.NoError(t, os.WriteFile(".flux.yaml", []byte(fluxOverlay), 0o600))
			f.Args = append(f.Args, "--overlay", ".flux.yaml")
		}
		status, before, _ := run(append([]string{"template"}, f.Args...)...)
		if status != statusOK {
			continue
		}
		for try := range uint64(4) {
			text := hostileOverlay(rand.New(rand.NewPCG(seed, try)))
			require.NoError(t, os.WriteFile(".hostile.yaml", []byte(text), 0o600))
			status, after, _ := run(slices.Concat([]string{"template"}, f.Args, []string{"--overlay", ".hostile.yaml"})...)
			if status != statusOK {
				continue
			}
			judged++
			if broken := brokenPromises(t, before, after); len(broken) > 0 {
				t.Fatalf("seed %d:\n%s\n%s\n%s", seed, text, strings.Join(broken, "\n"), f)
			}
		}
	}
	fmt.Printf("ok  \t%d outputs of %d generated fleets with hostile keys keep their promises\n", judged, *fleets)
	require.Greater(t, float64(judged), 0.15*float64(*fleets), "outputs")
}

// fluxOverlay has Flux deliver a fleet.
const fluxOverlay = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\ntarget: {delivery: flux}\n"

// hostileOverlay returns an overlay with one or two pieces.
func hostileOverlay(r *rand.Rand) string {
	var text strings.Builder
	text.WriteString("apiVersion: vmrender.io/v1alpha1\nkind: Fleet\n")
	for i, level := range []string{"every", "defaults"}[:1+r.IntN(2)] {
		piece := hostile[r.IntN(len(hostile))]
		if i > 0 && !strings.HasPrefix(piece, "disks") {
			continue // most other keys of the VMs replace those of the defaults
		}
		piece = strings.ReplaceAll(piece, "KEY", guardedKeys[r.IntN(len(guardedKeys))])
		piece = strings.ReplaceAll(piece, "VALUE", hostileValues[r.IntN(len(hostileValues))])
		text.WriteString(level + ":\n  " + piece + "\n")
	}
	return text.String()
}

type printed struct {
	Kind     string
	Type     string
	Metadata struct {
		Name, Namespace             string
		Labels, Annotations         map[string]string
		Finalizers, OwnerReferences []any
	}
	Spec struct{ ExternalIPs []string }
}

func (p *printed) id() string { return p.Kind + " " + p.Metadata.Namespace + "/" + p.Metadata.Name }

// byFlux reports whether Flux delivers the object.
func (p *printed) byFlux() bool { return p.Metadata.Annotations["vmrender.io/wave"] != "" }

// ignores reports whether only the other way of delivery reads a key.
func (p *printed) ignores(key string) bool {
	if !p.byFlux() {
		return strings.HasPrefix(key, "kustomize.toolkit.fluxcd.io/")
	}
	return strings.HasPrefix(key, "argocd.") || strings.HasPrefix(key, "helm.sh/")
}

func readPrinted(t *testing.T, text string) []printed {
	t.Helper()
	var out []printed
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var p printed
		require.NoError(t, yaml.Unmarshal([]byte(doc), &p))
		if p.Kind != "" {
			out = append(out, p)
		}
	}
	return out
}

// brokenPromises compares the metadata that Argo CD acts on with that of the same fleet without the hostile keys.
func brokenPromises(t *testing.T, before, after string) []string {
	t.Helper()
	was, seen := map[string]printed{}, map[string]bool{}
	for _, p := range readPrinted(t, before) {
		was[p.id()] = p
	}
	var broken []string
	for _, p := range readPrinted(t, after) {
		say := func(format string, args ...any) { broken = append(broken, p.id()+": "+fmt.Sprintf(format, args...)) }
		if seen[p.id()] {
			say("is there twice")
		}
		seen[p.id()] = true
		if len(p.Metadata.Finalizers)+len(p.Metadata.OwnerReferences)+len(p.Spec.ExternalIPs) > 0 {
			say("has finalizers, owners or external addresses")
		}
		if p.Kind == "VirtualMachineRestore" || p.Type == "kubernetes.io/service-account-token" {
			say("is not permitted")
		}
		if old, ok := was[p.id()]; ok {
			compareGuarded(&old, &p, say)
		} else {
			checkNew(&p, say)
		}
	}
	return broken
}

// compareGuarded reports guarded keys that differ. A VM may have more sync options, and stronger ones.
func compareGuarded(old, now *printed, say func(string, ...any)) {
	isVM := strings.HasPrefix(now.Kind, "VirtualMachine")
	isPet := old.Metadata.Annotations["vmrender.io/lifecycle"] == "pet"
	for _, key := range guardedKeys {
		if old.ignores(key) {
			continue
		}
		isOptional := !strings.HasPrefix(key, "argocd.") && !strings.HasPrefix(key, "vmrender.") // as a label
		if a, b := old.Metadata.Labels[key], now.Metadata.Labels[key]; a != b && (a != "" || !isOptional) {
			say("the label %s was %q and is %q", key, a, b)
		}
		if strings.HasPrefix(key, "kubevirt.io/") {
			continue
		}
		a, had := old.Metadata.Annotations[key]
		b, has := now.Metadata.Annotations[key]
		switch {
		case key == "vmrender.io/content", isVM && key == "helm.sh/hook-weight": // the wave is there, too, and wins
		case key == "argocd.argoproj.io/compare-options" && isVM && (!isPet || !strings.Contains(b, "IgnoreExtraneous")):
		case key == "argocd.argoproj.io/sync-options" && isVM:
			for option := range strings.SplitSeq(a, ",") {
				name, _, _ := strings.Cut(option, "=")
				if option != "Prune=true" && option != "" && !slices.Contains(strings.Split(b, ","), option) &&
					!strings.Contains(b, name+"=false") {
					say("%s was %q and is %q", key, a, b)
				}
			}
			if strings.Contains(b, "Force=true") && !strings.Contains(a, "Force=true") {
				say("%s is %q", key, b)
			}
		case a != b || had != has:
			say("%s was %q and is %q", key, a, b)
		}
	}
}

// checkNew checks an object that the hostile keys bring, or that has another name with them.
func checkNew(p *printed, say func(string, ...any)) {
	key, want := "argocd.argoproj.io/sync-options", "Prune=false,Delete=false"
	if p.byFlux() {
		key, want = "kustomize.toolkit.fluxcd.io/prune", "disabled"
	}
	isDisk := p.Kind == "DataVolume"
	if !isDisk {
		want = ""
	}
	if got := p.Metadata.Annotations[key]; got != want && (isDisk || p.Kind == "Service" || p.Kind == "ConfigMap") {
		say("%s is %q", key, got)
	}
	if _, ok := p.Metadata.Annotations["argocd.argoproj.io/hook"]; ok && p.Kind != "Job" && !p.byFlux() {
		say("is a hook")
	}
}
