package cluster

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// definitionsPath is where definitions are watched.
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// watchesDefinitions reports whether the response to a request consists of events of
// definitions.
func watchesDefinitions(r *http.Request) bool {
	watch := r.URL.Query().Get("watch")
	return r.URL.Path == definitionsPath && (watch == "true" || watch == "1")
}

// event is an event of a watch of definitions.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// served passes on the events of definitions that are served. Argo CD 3.2 reads the
// whole API of the cluster again at each event of a definition (gitops-engine,
// pkg/cache/cluster.go, watchEvents). A new definition has three events, of which only
// the last changes the API. With all of them, the forty definitions of KubeVirt, CDI and
// operators take minutes.
func served(events io.ReadCloser) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		writer.CloseWithError(handOn(events, writer))
		_ = events.Close() //nolint:errcheck // no client is left
	}()
	return pipe{reader, events}
}

// pipe closes the body it reads from when it is closed.
type pipe struct {
	*io.PipeReader
	source io.Closer
}

// Close closes both.
func (p pipe) Close() error {
	_ = p.PipeReader.Close() //nolint:errcheck // it never fails
	return p.source.Close()
}

// handOn writes events until there are no more. A definition is new when it is served.
func handOn(events io.Reader, to io.Writer) error {
	added := map[string]bool{}
	decoder, encoder := json.NewDecoder(events), json.NewEncoder(to)
	for {
		var e event
		if err := decoder.Decode(&e); err != nil {
			return err
		}
		if e.Type == "ADDED" || e.Type == "MODIFIED" {
			name, is := established(e.Object)
			if !is {
				added[name] = added[name] || e.Type == "ADDED"
				continue
			}
			if added[name] {
				e.Type = "ADDED"
				delete(added, name)
			}
		}
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
}

// established returns the name of a definition and reports whether it is served.
func established(definition []byte) (string, bool) {
	type condition struct{ Type, Status string }
	var d struct {
		Metadata struct{ Name string }
		Status   struct{ Conditions []condition }
	}
	if err := json.Unmarshal(definition, &d); err != nil {
		return "", true // the client handles it
	}
	return d.Metadata.Name, slices.Contains(d.Status.Conditions, condition{"Established", "True"})
}
