package plan

import (
	"bytes"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// fluxWords are pairs: words of causes that are about Argo CD, and those for an object that Flux delivers. The first
// that fit count, and the level is the same for both.
var fluxWords = []string{
	"Prune=false keeps the VM and its disks: it continues to run, and Argo CD reports that it requires pruning",
	"prune: disabled keeps the VM and its disks: it continues to run, and Flux no longer lists it",
	"or with its Application", "or with its Kustomization",
	"regardless of the options of Argo CD", "regardless of the annotations for Flux",
	", unless Argo CD replaces the hook", "",
	"Prune=false", "prune: disabled",
	"Argo CD", "Flux",
}

// byFlux reports whether Flux delivers an object.
func byFlux(pair *pairs.Pair) bool {
	mark := []byte(`"` + labels.Wave + `":"`)
	if pair.New != nil {
		return bytes.Contains(pair.New, mark)
	}
	return bytes.Contains(pair.Old, mark)
}

// nameFlux names Flux instead of Argo CD in the causes of the objects that it delivers.
func (p *planner) nameFlux() {
	delivered := map[manifest.ID]bool{}
	for i := range p.Pairs {
		if pair := &p.Pairs[i]; byFlux(pair) {
			delivered[pair.ID] = true
		}
	}
	if len(delivered) == 0 {
		return
	}
	for _, verdicts := range [][]Verdict{p.out.VMs, p.out.Objects} {
		for i := range verdicts {
			if delivered[verdicts[i].ID] {
				nameFlux(verdicts[i].Causes)
			}
		}
	}
}

func nameFlux(causes []impact.Cause) {
	words := strings.NewReplacer(fluxWords...)
	for i := range causes {
		c := &causes[i]
		for _, text := range []*string{&c.Reason, &c.Advice, &c.When, &c.Approximate} {
			*text = words.Replace(*text)
		}
	}
}
