package lifecycle

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/outcome"
)

// fluxPairs appends the annotations for Flux on a part of a VM in a wave: the wave always, because it is the directory
// of the object. Flux has no other way to protect an object than to leave it, on removal and on deletion. A removal
// that is approved has an annotation for the gate.
func (r *syncRule) fluxPairs(to []outcome.Pair, wave int, options string) []outcome.Pair {
	to = append(to, outcome.Pair{Key: labels.Wave, Value: strconv.Itoa(wave + r.after)})
	switch argocd.FindSyncOption(options, "Prune").Value {
	case "false":
	case "true":
		return append(to, outcome.Pair{Key: flux.PruneAnnotation, Value: flux.Enabled})
	default:
		return to
	}
	loss := strings.Replace(r.loss, strconv.Quote(r.options), strconv.Quote(flux.Disabled), 1)
	if loss == "" {
		loss = "must be \"" + flux.Disabled + "\", which keeps the VM; use `lifecycle.removal`, " +
			"or `lifecycle: {protection: none}` if this is intended"
	}
	return append(to, outcome.Pair{Key: flux.PruneAnnotation, Value: flux.Disabled, Loss: loss})
}

// syncOptions returns the sync options of an object with these annotations, or those with which Argo CD would do what
// Flux does with them.
func syncOptions(annotations map[string]string) string {
	switch {
	case flux.Keeps(func(key string) string { return annotations[key] }):
		return "Prune=false,Delete=false"
	case annotations[flux.PruneAnnotation] == flux.Enabled:
		return "Prune=true"
	}
	return annotations[argocd.SyncOptionsAnnotation]
}
