package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
)

// lifecycleOptions returns the sync options that follow from the lifecycle alone: for Flux, all of them, because users
// add none.
func (x *rendering) lifecycleOptions() string {
	if x.Target.ByFlux() {
		return x.vmOptions()
	}
	return ""
}

// waveAnnotation returns the text of the wave of an object with these annotations, for Argo CD or for Flux.
func waveAnnotation(annotations map[string]string) (text string, ok bool) {
	for _, key := range []string{labels.Wave, argocd.SyncWaveAnnotation} {
		if text, ok = annotations[key]; ok {
			return text, true
		}
	}
	return "", false
}

// Directories returns what is rendered by the directory for Flux that it belongs to. Objects of one VM can be in
// several. An object without a wave is an error: it was rendered for Argo CD, and a file holds it.
func Directories(all []Rendered) (map[string][]Rendered, error) {
	out := map[string][]Rendered{}
	for i := range all {
		parts := map[string]*Rendered{}
		for line := range bytes.Lines(all[i].final()) {
			dir, err := all[i].directory(line)
			if err != nil {
				return nil, err
			}
			if parts[dir] == nil {
				parts[dir] = &Rendered{Namespace: all[i].Namespace, Name: all[i].Name, Jobs: all[i].Jobs}
			}
			parts[dir].text = append(parts[dir].text, line...)
		}
		for dir, part := range parts {
			out[dir] = append(out[dir], *part)
		}
	}
	return out, nil
}

// directory returns the directory for Flux of one of the objects.
func (r *Rendered) directory(object []byte) (string, error) {
	var o struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &o); err != nil {
		return "", fmt.Errorf("reading an object of %s/%s: %w", r.Namespace, r.Name, err)
	}
	wave := o.Metadata.Annotations[labels.Wave]
	switch {
	case wave == "":
		return "", fmt.Errorf("%s/%s: the VM is held as it was rendered for Argo CD, without the annotation %s; "+
			"approve its change, and run `vmrender hold`", r.Namespace, r.Name, labels.Wave)
	case r.Jobs:
		return flux.Jobs, nil
	}
	return flux.Directory(wave), nil
}
