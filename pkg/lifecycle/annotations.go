package lifecycle

import (
	"cmp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Annotations returns the annotations for Argo CD, or for Flux, on a part of a VM in a wave. wave is that of the VM, to
// which the part adds its own, or 0 for an object of no single VM.
func (p Part) Annotations(wave int, target values.Target) map[string]string {
	return outcome.MapOf(p.Pairs(make([]outcome.Pair, 0, MostPairs), wave, p.OptionsFor(target), &target))
}

// MostPairs is the number of labels or annotations that an object has of the lifecycle, at most.
const MostPairs = 12

// Pairs appends what [Part.Annotations] returns. options are sync options, separated by commas: those of
// [Part.OptionsFor], of [VMOptions], or none.
func (p Part) Pairs(to []outcome.Pair, wave int, options string, target *values.Target) []outcome.Pair {
	r := &syncRules[p]
	if target.ByFlux() {
		return r.fluxPairs(to, wave, options)
	}
	// Argo CD's default is 0.
	if in := wave + r.after; in != 0 {
		to = append(to, outcome.Pair{Key: argocd.SyncWaveAnnotation, Value: strconv.Itoa(in)})
	}
	to = outcome.AppendPair(to, argocd.SyncOptionsAnnotation, options, r.loss)
	to = outcome.AppendPair(to, argocd.CompareOptionsAnnotation, r.compare, "")
	to = outcome.AppendPair(to, argocd.HookAnnotation, r.hook, "")
	return outcome.AppendPair(to, argocd.HookDeletePolicyAnnotation, r.cleanup, "")
}

// OptionsFor returns the sync options of a part, separated by commas. Confirmation came with Argo CD 2.14.
func (p Part) OptionsFor(target values.Target) string {
	r := &syncRules[p]
	if r.before != "" && versions.Before(target.ArgoCD, "2.14") {
		return r.before
	}
	return r.options
}

// removals maps what happens on removal from Git to the sync option.
var removals = map[values.Removal]string{
	values.Denied: "Prune=false", values.Approved: "Prune=true", values.Confirm: "Prune=confirm",
}

// VMOptions returns the sync options of the VirtualMachine or VirtualMachinePool of a VM, separated by commas. A pet
// without protection has none.
func VMOptions(m *machine.Machine) string {
	lc, p := &m.Lifecycle, OfVM(m.Lifecycle.Strategy)
	if lc.Unprotected && !lc.Cattle() {
		return removals[lc.Removal]
	}
	removal, options := removals[cmp.Or(lc.Removal, syncRules[p].removal)], p.OptionsFor(m.Target)
	if removal == "" || options == "" {
		return removal + options
	}
	return removal + "," + options // which have no option in common
}

// OfVM returns the part that the VirtualMachines of a strategy are.
func OfVM(s values.Strategy) Part { return vmParts[s] }

// vmParts maps a strategy to the part that its VirtualMachines are.
var vmParts = map[values.Strategy]Part{
	values.InPlace: petVM, values.Rollout: cattleVM, values.Pool: cattleVM,
	values.Replace: replacedVM, values.BlueGreen: blueGreenVM,
}
