package lifecycle

import (
	"slices"
	"strings"
)

// OnFluxDeletion is what [OnDeletion] is for a fleet that Flux delivers.
const OnFluxDeletion Event = "On deletion of the Kustomization"

// Events returns the events of the policy, in order.
func (p Policy) Events() []Event {
	if slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.On == OnFluxDeletion }) {
		return []Event{OnChange, OnRemoval, OnFluxDeletion}
	}
	return Events()
}

// fluxWords are pairs: words of facts that are about Argo CD, and those for a VM that Flux delivers. The first that fit
// count. What Flux refuses has no words.
var fluxWords = []string{
	"The Application shows that it requires pruning, and is OutOfSync. Other commits are still synced, and a revert " +
		"returns the VM to Git.", "Flux no longer lists it. A revert returns the VM to Git.",
	"The sync fails and names the disk; other objects in its wave are applied, and later waves are not.",
	"Flux names the disk, and applies nothing of its wave and of later ones.",
	"If the health checks of this project are installed, the DataVolume and its Application are Degraded until then, " +
		"with the command in the message. The policy `keptDisks`, which the installation of the plugin contains, rejects " +
		"that deletion, and a VM that Argo CD deletes is stopped, but stays until the disk is released.",
	"The Kustomization of its wave is not ready until then.",
	"The sync does not wait for it. The Application is Progressing while it runs, and Degraded if it fails. " +
		"A retried sync does not run it again.", "Flux does not wait for it.",
	" An Application that does not prune keeps the job, and then no job runs when earlier content is restored.", "",
	"the Job fails, and the Application is Degraded.", "and the Job fails.",
	" The policy `petState` rejects the deletion until the PVC is released.", "",
	"and a sync that deletes it fails, until", "and Flux cannot delete it until",
	"The sync does not wait", "Flux does not wait",
	", or requires confirmation", "",
	" without confirmation", "",
	"Argo CD", "Flux",
}

// forFlux returns facts in the words for a VM that Flux delivers.
func forFlux(facts []Fact) []Fact {
	words := strings.NewReplacer(fluxWords...)
	for i := range facts {
		facts[i].Text = words.Replace(facts[i].Text)
		if facts[i].On == OnDeletion {
			facts[i].On = OnFluxDeletion
		}
	}
	return facts
}
