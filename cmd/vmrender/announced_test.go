package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Every VM of the examples says what a change does to it, and every VM and DataVolume says its wave. The
// generated fleets show the same; see [checkObject].
func TestExamplesAreAnnounced(t *testing.T) {
	t.Chdir("../../examples")
	seen := map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "fleet.yaml" {
			countAnnounced(t, filepath.Dir(path), seen)
		}
		return err
	}))
	for _, kind := range []string{"VirtualMachine", "VirtualMachinePool", "DataVolume"} {
		require.Positive(t, seen[kind], kind)
	}
}

// countAnnounced checks the objects of a fleet, and counts them by kind.
func countAnnounced(t *testing.T, dir string, seen map[string]int) {
	t.Helper()
	status, stdout, stderr := run("template", "-o", "json", "--namespace", "default", dir)
	require.Equal(t, statusOK, status, "%s: %s", dir, stderr)
	objects, err := manifest.Read(strings.NewReader(stdout))
	require.NoError(t, err)
	for _, o := range objects {
		require.NoError(t, checkAnnounced(o), dir)
		seen[o.Kind]++
	}
}

// checkAnnounced checks that a VM or pool says what a change does to it, as its lifecycle has it, and that it and a
// separate DataVolume say their wave.
func checkAnnounced(o manifest.Object) error {
	isVM := o.Kind == "VirtualMachine" || o.Kind == "VirtualMachinePool"
	if !isVM && o.Kind != "DataVolume" {
		return nil
	}
	var all struct {
		Metadata metav1.ObjectMeta
		Spec     struct {
			VirtualMachineTemplate *struct{ Metadata metav1.ObjectMeta }
		}
	}
	if err := json.Unmarshal(o.JSON, &all); err != nil {
		return err
	}
	if _, err := strconv.Atoi(wave(all.Metadata.Annotations)); err != nil {
		return fmt.Errorf("no wave: %s: %w", o.ID, err)
	}
	if !isVM {
		return nil
	}
	says := []metav1.ObjectMeta{all.Metadata}
	if t := all.Spec.VirtualMachineTemplate; t != nil {
		says = append(says, t.Metadata)
	}
	expected := map[string]string{labels.Pet: labels.InPlace, labels.Cattle: labels.Recreate}
	for _, meta := range says {
		want := expected[meta.Annotations[labels.Lifecycle]]
		if got := meta.Annotations[labels.OnChange]; got != want || got == "" {
			return fmt.Errorf("wrong %s: %s: %q instead of %q", labels.OnChange, o.ID, got, want)
		}
	}
	return nil
}

// wave is the wave that an object says to Argo CD or, if Flux delivers it, to `vmrender flux`. None says both.
func wave(annotations map[string]string) string {
	flux, isForFlux := annotations[labels.Wave]
	argo, isForArgoCD := annotations[argocd.SyncWaveAnnotation]
	if isForFlux && isForArgoCD {
		return "both " + argo + " and " + flux
	}
	return argo + flux
}
