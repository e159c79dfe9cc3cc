// Package live reads the state of a cluster: an export of it, or the cluster itself, to which it sends only list
// requests.
package live

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Cluster is the [Source.From] of the cluster itself.
const Cluster = "cluster"

// Source is where the state is read.
type Source struct {
	From string // an export: the name of a file, or "-" for standard input; or [Cluster]; empty for no state
	// Kubeconfig is the file that names the cluster, and Context a context in it. They have the defaults of kubectl.
	Kubeconfig, Context string
}

// IsCluster reports whether the state is read from the cluster itself.
func (s *Source) IsCluster() bool { return s.From == Cluster }

// Given reports whether there is a state to read.
func (s *Source) Given() bool { return s.From != "" }

// Input is what reading depends on.
type Input struct {
	Stdin io.Reader
	// Room is called with the size in bytes of each text before it becomes objects; nil for nothing.
	Room func(bytes int)
}

// State is what a cluster has.
type State struct {
	Label    string
	Exported string              // RFC 3339; empty if unknown
	Objects  []manifest.Object   // nil if it was not asked for
	Unread   []string            // the kinds that may not be read
	Diags    *source.Diagnostics // of reading the export
}

// Read reads what a list has from the cluster, or all of an export. An export without objects is a problem. An error
// is one of the connection.
func (s *Source) Read(ctx context.Context, in Input, list List) (State, error) {
	switch {
	case !s.Given():
		return State{Diags: new(source.Diagnostics)}, nil
	case s.IsCluster():
		return s.query(ctx, in, list)
	}
	return s.export(in), nil
}

// export reads the state from an export.
func (s *Source) export(in Input) State {
	state := State{Label: "the export " + s.From}
	if s.From == "-" {
		state.Label = "the export on standard input"
	}
	l := compare.Export(s.From, in.Stdin, in.Room)
	state.Objects, state.Diags = l.Objects, l.Diags
	if len(state.Objects) == 0 && !state.Diags.HasErrors() {
		state.Diags.Errorf(source.Pos{File: l.Label}, rule.EmptyFile, "",
			"no objects; expected an export, see docs/how-to/live.md")
	}
	state.Exported = cluster.Exported(state.Objects)
	return state
}

// query reads the state from the cluster.
func (s *Source) query(ctx context.Context, in Input, list List) (State, error) {
	client, name, err := rollout.Dial(s.Kubeconfig, s.Context)
	if err != nil {
		return State{}, err
	}
	objects, unread, err := read(ctx, client, list, manifest.Reader{Trees: true, Room: in.Room})
	if err != nil && objects == nil {
		return State{}, err
	}
	return State{
		Label: "the cluster of context " + name, Exported: cluster.Exported(objects), Objects: objects, Unread: unread,
		Diags: new(source.Diagnostics),
	}, err
}

// VMs returns the VMs of a cluster in some namespaces, or in all if there is none, and what belongs to them.
func (s *Source) VMs(ctx context.Context, namespaces []string) ([]manifest.Object, error) {
	client, _, err := rollout.Dial(s.Kubeconfig, s.Context)
	if err != nil {
		return nil, err
	}
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	objects, _, err := read(ctx, client, listOf(namespaces, nil), manifest.Reader{})
	return objects, err
}

// read reads objects from the cluster, and returns what it could not read.
func read(
	ctx context.Context, client *rollout.Cluster, list List, as manifest.Reader,
) (objects []manifest.Object, unread []string, err error) {
	stream, unread, err := list(ctx, client)
	if err != nil {
		return nil, nil, err
	}
	objects, err = as.Read(bytes.NewReader(stream))
	if objects == nil {
		objects = []manifest.Object{}
	}
	return objects, unread, err
}

// Notes returns what the reader of a report must know about the state, and about the settings that count for it.
func (s *State) Notes(settings []string) []string {
	if s.Objects == nil {
		return nil
	}
	note := "compared with " + s.Label
	if s.Exported != "" {
		note += ", whose newest time is " + s.Exported
	}
	if len(settings) > 0 {
		note += "; its settings count: " + strings.Join(settings, ", ")
	}
	return []string{note}
}

// Unknown returns what a plan leaves open without the state, or with the part of it that may be read.
func (s *State) Unknown() []string {
	if s.Objects == nil {
		return []string{"the state in the cluster"}
	}
	if len(s.Unread) > 0 {
		return []string{"what may not be read in the cluster: " + strings.Join(s.Unread, ", ")}
	}
	return nil
}
