package argocd

import "strconv"

// Wave returns the wave in which Argo CD applies an object with these annotations, and the
// annotation that sets it; [SyncWaveAnnotation] if none does (gitops-engine
// pkg/sync/syncwaves/waves.go, argo-cd v3.2.11).
func Wave(annotations map[string]string) (wave int, from string) {
	for _, key := range []string{SyncWaveAnnotation, HookWeightAnnotation} {
		text, ok := annotations[key]
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(text); err == nil {
			return n, key
		}
	}
	return 0, SyncWaveAnnotation
}
