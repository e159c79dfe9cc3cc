package main

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/source"
)

// discover prints the path of the fleet.yaml that the working directory belongs
// to, or of its platform.yaml. If it has neither, it prints nothing: Argo CD takes
// any output as a match, and an exit status other than 0 as a failure.
func (s *sidecar) discover() error {
	path := s.tree.header()
	if s.request.Content == plugin.Platform {
		path = platformFile
	}
	if !s.tree.ours(path) {
		return nil
	}
	_, err := fmt.Fprintln(s.stdout, path)
	return err
}

// parameters prints the parameters that an Application can set, with the current
// values of the fleet's vars. It leaves errors in the fleet to generate, because
// the form must also appear for a broken fleet.
func (s *sidecar) parameters() error {
	return plugin.WriteAnnouncements(s.stdout, s.vars())
}

// vars returns the vars that fleet.yaml and the overlays set for all VMs, by dotted key.
func (s *sidecar) vars() map[string]string {
	header := s.tree.header()
	if !s.tree.ours(header) {
		return nil
	}
	var merged *source.Node
	for _, path := range append([]string{header}, s.resolveOverlays()...) {
		doc := firstDocument(path)
		merged = source.Merge(merged, doc.Get("vars"))
		merged = source.Merge(merged, doc.Get("defaults", "vars"))
	}
	vars := map[string]string{}
	flatten(vars, "", merged)
	return vars
}

// firstDocument returns the first document of a file, or an empty one if the file
// cannot be read.
func firstDocument(path string) *source.Node {
	data, err := source.ReadFile(path)
	if err == nil {
		if docs := source.Parse(&source.File{Name: path, Data: data}, new(source.Diagnostics)); len(docs) > 0 {
			return docs[0]
		}
	}
	return &source.Node{}
}

// flatten adds the strings, numbers and booleans of a tree by dotted key. It
// leaves out what a parameter cannot set, and what seems to be a secret: a user
// who can see the form may not be able to read the repository.
func flatten(vars map[string]string, prefix string, n *source.Node) {
	if n == nil {
		return
	}
	for _, f := range n.Fields {
		switch {
		case strings.ContainsAny(f.Key, ".=") || f.Key == "" || secret(f.Key):
		case f.Value.Kind == source.Map:
			flatten(vars, prefix+f.Key+".", f.Value)
		case f.Value.Kind != source.List && f.Value.Kind != source.Null:
			vars[prefix+f.Key] = f.Value.Text
		}
	}
}

// secret reports whether a key looks like that of a secret.
func secret(key string) bool {
	for _, word := range []string{"pass", "secret", "token", "credential", "private"} {
		if strings.Contains(strings.ToLower(key), word) {
			return true
		}
	}
	return false
}
