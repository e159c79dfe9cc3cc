package outcome

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/rule"
)

// Strength returns how well a sync option protects a VM: 0 if it does not.
func Strength(o argocd.SyncOption) int {
	guards := o.Name == "Prune" || o.Name == "Delete"
	switch {
	case guards && o.Value == "false":
		return 2
	case guards && o.Value == "confirm", o.Name == "PruneLast" && o.Value == "true":
		return 1
	}
	return 0
}

// replaces reports whether an option makes Argo CD delete an object, or what the cluster has set of it, in every sync.
func replaces(o argocd.SyncOption) bool {
	return (o.Name == "Force" || o.Name == "Replace") && o.Value == "true"
}

// checkMachine reports annotations of a VM that are weaker than its lifecycle promises, or undo it.
func (p *Promise) checkMachine(found []Finding, have map[string]string) []Finding {
	if wave, key := argocd.Wave(have); wave != p.Wave || p.waveIsLost(have) {
		found = append(found, on(rule.SyncOptions, key,
			"the VM and its disks would be applied in different waves; use `wave` instead"))
	}
	options := have[argocd.SyncOptionsAnnotation]
	if options == p.Options { // which is nearly always so
		return p.checkCompared(found, have)
	}
	if !p.Replace {
		for o := range argocd.SyncOptions(options) {
			if replaces(o) {
				found = append(found, on(rule.SyncOptions, argocd.SyncOptionsAnnotation, o.String()+
					" deletes the VM, or the fields that the cluster has set, in every sync; "+
					"use `lifecycle: {type: cattle, strategy: replace}`, or another strategy"))
			}
		}
	}
	for own := range argocd.SyncOptions(p.Options) {
		found = p.checkOption(found, own, argocd.FindSyncOption(options, own.Name))
	}
	return p.checkCompared(found, have)
}

// waveIsLost reports whether the annotation of the wave is promised, and missing.
func (p *Promise) waveIsLost(have map[string]string) bool {
	for i := range p.Annotations {
		if p.Annotations[i].Key == argocd.SyncWaveAnnotation {
			return have[argocd.SyncWaveAnnotation] == ""
		}
	}
	return false
}

// checkOption reports an option that is weaker than its own, or gone.
func (p *Promise) checkOption(found []Finding, own, got argocd.SyncOption) []Finding {
	var problem string
	switch {
	case got == own, !replaces(own) && Strength(got) >= Strength(own):
		return found
	case replaces(own):
		problem = fmt.Sprintf("%s, by which the strategy replaces the VM, is removed; use another strategy", own)
	case got.Value == "":
		problem = fmt.Sprintf("%s, which protects the VM, is removed; %s", own, p.Instead)
	default:
		problem = fmt.Sprintf("%s removes the protection of %s; %s", got, own, p.Instead)
	}
	return append(found, on(rule.Protection, argocd.SyncOptionsAnnotation, problem))
}

// checkCompared reports that Argo CD does not show a pet that is left over (argo-cd v3.2.11, controller/state.go).
func (p *Promise) checkCompared(found []Finding, have map[string]string) []Finding {
	if !p.Pet {
		return found
	}
	for o := range argocd.SyncOptions(have[argocd.CompareOptionsAnnotation]) {
		if o.Name == "IgnoreExtraneous" {
			found = append(found, on(rule.Protection, argocd.CompareOptionsAnnotation,
				"IgnoreExtraneous hides that a VM is removed from Git and still runs; remove it"))
		}
	}
	return found
}

func on(id rule.ID, key, problem string) Finding {
	return finding(id, problem, "metadata", "annotations", key)
}
