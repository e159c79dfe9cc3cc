package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/platform"
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

// parameters prints the parameters that an Application can set, with the keys of
// the fleet's vars. It leaves errors in the fleet to generate, because
// the form must also appear for a broken fleet.
func (s *sidecar) parameters() error {
	return plugin.WriteAnnouncements(s.stdout, s.vars())
}

// vars returns the dotted keys of the vars that fleet.yaml and the overlays set for
// all VMs, or those of the platform, sorted.
func (s *sidecar) vars() []string {
	if s.request.Content == plugin.Platform {
		return s.platformVars()
	}
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
	return sortedKeys(merged)
}

// platformVars returns the dotted keys of the platform's vars, sorted.
func (s *sidecar) platformVars() []string {
	if !s.tree.ours(platformFile) {
		return nil
	}
	opts := platform.Options{Root: s.tree.root, Overlays: s.resolveOverlays()}
	doc := platform.Read(platformFile, opts, new(source.Diagnostics))
	if doc == nil {
		return nil
	}
	return sortedKeys(doc.Vars)
}

func sortedKeys(n *source.Node) []string {
	keys := flatten(nil, "", n)
	slices.Sort(keys)
	return keys
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

// flatten adds the dotted keys of the strings, numbers and booleans of a tree. It
// leaves out what a parameter cannot set.
func flatten(keys []string, prefix string, n *source.Node) []string {
	if n == nil {
		return keys
	}
	for _, f := range n.Fields {
		switch {
		case strings.ContainsAny(f.Key, ".=") || f.Key == "":
		case f.Value.Kind == source.Map:
			keys = flatten(keys, prefix+f.Key+".", f.Value)
		case f.Value.Kind != source.List && f.Value.Kind != source.Null:
			keys = append(keys, prefix+f.Key)
		}
	}
	return keys
}
