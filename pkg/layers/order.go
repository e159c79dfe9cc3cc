package layers

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// sortByWave sorts objects in the order in which they are applied: by Argo CD's sync
// wave, by kind as Helm installs them, and by identity.
func sortByWave(objects []manifest.Object) {
	waves := map[manifest.ID]int{}
	for _, o := range objects {
		waves[o.ID] = waveOf(o)
	}
	slices.SortStableFunc(objects, func(a, b manifest.Object) int {
		return cmp.Or(
			cmp.Compare(waves[a.ID], waves[b.ID]),
			cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)),
			a.Compare(b.ID),
		)
	})
}

// waveOf returns the object's sync wave. Defaults to 0, as in Argo CD.
func waveOf(o manifest.Object) int {
	wave, err := strconv.Atoi(annotationsOf(o)[argocd.SyncWaveAnnotation])
	if err != nil {
		return 0
	}
	return wave
}

// annotationsOf returns the annotations of an object, or nil if it has none.
func annotationsOf(o manifest.Object) map[string]string {
	return metadataOf(o).Annotations
}
