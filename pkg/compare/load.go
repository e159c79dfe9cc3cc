package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/world"
)

// Loader reads and renders sides.
type Loader struct {
	Fleet    fleet.Options  // of both sides, for fleets
	Platform layers.Options // of both sides, for platforms
	// Fits returns an error if the user has set a flag that does not fit a fleet, or a platform.
	Fits func(isPlatform bool) error
	// Environ is the environment that Git runs in.
	Environ []string
	// Stop ends the process. It is called when the context ends while a revision is rendered, after its files are
	// removed.
	Stop func()
}

// Loaded is a side with its objects: what a fleet or a platform renders to, or a set of manifests.
type Loaded struct {
	Label   string            // what it is, for users
	Note    string            // what does not exist in its revision, for users; empty if all does
	Objects []manifest.Object // each once; see render.Objects about their JSON
	Fleet   *inventory.Fleet  // nil if it is not one
	// Rendered are the objects of a fleet by VM.
	Rendered []render.Rendered
	Diags    *source.Diagnostics
	// Directories are those of the entries of VMs, relative to the fleet's, by NAMESPACE/NAME; nil if it is no fleet.
	Directories map[string]string
	// Layers are those of a platform; nil if it is none, or of one layer alone.
	Layers *world.Layers

	missing bool // whether it does not exist in its revision, and so has no objects
}

// Load reads and renders both sides; that of a cluster is empty. Their objects must only be used if neither has errors
// among its problems.
func (l *Loader) Load(ctx context.Context, s Sides) (from, to Loaded, err error) {
	switch {
	case s.From.Origin == Cluster:
		to, err = l.Current(s.To)
		return Loaded{Diags: new(source.Diagnostics)}, to, err
	case s.ReadsGit():
		return l.loadRevisions(ctx, s)
	}
	if from, err = l.loadSide(s.From); err == nil {
		to, err = l.loadSide(s.To)
	}
	if err == nil && (from.Fleet == nil) != (to.Fleet == nil) {
		err = errors.Join(from.canonicalize(), to.canonicalize())
	}
	return from, to, err
}

// Current loads the files as they are: a fleet, a part of one, a platform, or manifests on standard input.
func (l *Loader) Current(s Side) (Loaded, error) {
	if s.Path == "-" {
		return Manifests(s.Path, l.Fleet.Stdin), nil
	}
	return l.loadPath("the files as they are", s.Path, l.Options(s), l.Platform.Root)
}

// loadSide loads the files as they are, or a set, which can also be manifests in a directory, in a file, or on standard
// input.
func (l *Loader) loadSide(s Side) (Loaded, error) {
	if s.Origin == Set && !l.isPlatform(s.Path) && !fleet.IsRoot(s.Path) {
		return Manifests(s.Path, l.Fleet.Stdin), nil
	}
	return l.loadPath(s.Path, s.Path, l.Options(s), l.Platform.Root)
}

// Set loads the files as they are: a whole fleet, a platform, or manifests in a file or directory.
func (l *Loader) Set(path string) (Loaded, error) { return l.loadSide(Side{Path: path, Origin: Set}) }

func (l *Loader) isPlatform(path string) bool {
	_, ok := l.Platform.File(path)
	return ok
}

// loadPath loads a fleet, a part of one, or a platform, below a root if that is set.
func (l *Loader) loadPath(label, path string, o fleet.Options, root string) (Loaded, error) {
	file, isPlatform := l.Platform.File(path)
	if err := l.Fits(isPlatform); err != nil {
		return Loaded{}, err
	}
	if !isPlatform {
		return loadFleet(label, path, o), nil
	}
	options := l.Platform
	options.Root, options.Overlays, options.Set = root, o.Overlays, o.Set
	return loadPlatform(label, file, options), nil
}

// Options returns the options with which a side that is a fleet is rendered from the files as they are.
func (l *Loader) Options(s Side) fleet.Options {
	o := l.Fleet
	o.Overlays = slices.Concat(o.Overlays, s.Overlays)
	o.Set = slices.Concat(o.Set, s.Sets)
	if s.Target != nil {
		o.Target = s.Target
	}
	o.Unheld = s.Unheld
	return o
}

func loadFleet(label, path string, o fleet.Options) Loaded {
	c := render.NewCollector()
	files := newDirectories()
	f, diags := inventory.Visit(path, o, func(m *machine.Machine, diags *source.Diagnostics) {
		files.note(m)
		c.Visit(m, diags)
	})
	rendered := c.Rendered(diags)
	l := Loaded{Label: label, Fleet: f, Diags: diags, Directories: files.below(f)}
	if !diags.HasErrors() {
		l.Objects, l.Rendered = render.Objects(rendered...), rendered
	}
	return l
}

func loadPlatform(label, file string, o layers.Options) Loaded {
	groups, diags := layers.RenderGroups(file, o)
	l := Loaded{Label: label, Diags: diags}
	for _, g := range groups {
		l.Objects = append(l.Objects, g.Objects...)
	}
	if o.Layer == "" && !o.Policies {
		l.Layers = layersOf(groups)
	}
	return l
}

// ByVM returns the objects of the VMs of a fleet, by NAMESPACE/NAME.
func (l *Loaded) ByVM() map[string][]manifest.Object {
	out := map[string][]manifest.Object{}
	for i := range l.Rendered {
		if r := &l.Rendered[i]; !r.Jobs {
			out[r.Namespace+"/"+r.Name] = render.Objects(*r)
		}
	}
	return out
}

// layersOf returns the layers of a platform.
func layersOf(groups []layers.Group) *world.Layers {
	out := &world.Layers{
		States: map[string]world.LayerState{}, Of: map[manifest.ID]string{}, Namespaces: map[string]string{},
	}
	for _, g := range groups {
		if g.Layer == "" {
			continue
		}
		switch {
		case g.Unmanaged:
			out.States[g.Layer] = world.Unmanaged
		case g.Action == "Ignore":
			out.States[g.Layer] = world.Paused
		case g.Action == "DryRun" || g.Held:
			out.States[g.Layer] = world.Waiting
		default:
			out.States[g.Layer] = world.Applied
		}
		if g.Review != nil {
			out.Reviews = append(out.Reviews, g.Review)
		}
		out.Namespaces[g.Layer] = g.Namespace
		for _, o := range g.Objects {
			out.Of[o.ID] = g.Layer
		}
	}
	return out
}

// Manifests reads the manifests in a file, in a directory, or on standard input ("-").
func Manifests(path string, stdin io.Reader) Loaded { return manifests(path, stdin, manifest.Reader{}) }

// Export reads the objects of a cluster as [Manifests] reads those of Git, but as trees; see [manifest.Reader]. Room is
// called with the size of each file before it is decoded.
func Export(path string, stdin io.Reader, room func(bytes int)) Loaded {
	return manifests(path, stdin, manifest.Reader{Trees: true, Room: room})
}

func manifests(path string, stdin io.Reader, reader manifest.Reader) Loaded {
	l := Loaded{Label: path, Diags: new(source.Diagnostics)}
	var err error
	if path == "-" {
		l.Label = "standard input"
		l.Objects, err = reader.ReadNamed("<stdin>", stdin)
	} else {
		l.Objects, err = reader.ReadFiles(path)
	}
	reportUnread(err, l.Diags)
	return l
}

// ManifestsPart is [Manifests], but has the objects without problems even if there are others.
func ManifestsPart(path string) Loaded {
	l := Loaded{Label: path, Diags: new(source.Diagnostics)}
	var err error
	l.Objects, err = manifest.Reader{Part: true}.ReadFiles(path)
	reportUnread(err, l.Diags)
	return l
}

// reportUnread reports the problems of reading manifests.
func reportUnread(err error, diags *source.Diagnostics) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			reportUnread(err, diags)
		}
	} else if at, ok := errors.AsType[*manifest.ReadError](err); ok {
		diags.Errorf(source.Pos{File: at.File, Line: at.Line}, rule.Unreadable, "", "%s", at.Message())
	} else if err != nil {
		diags.Errorf(source.Pos{}, rule.Unreadable, "", "%v", err)
	}
}

// canonicalize rewrites the objects of a fleet as those of a set of manifests are: an object that differs from one of
// them in the order of keys only would be taken for changed.
func (l *Loaded) canonicalize() error {
	if l.Fleet == nil {
		return nil
	}
	for i, o := range l.Objects {
		var err error
		if l.Objects[i], err = o.Canonical(); err != nil {
			return fmt.Errorf("reading %s: %w", o.ID, err)
		}
	}
	return nil
}
