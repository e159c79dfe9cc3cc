package writeback

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/node"
	secrets "github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Refused reports whether a VM was not taken into the fleet.
func (r *Merged) Refused() bool {
	return slices.ContainsFunc(r.Machines, func(x *Machine) bool { return x.Refused != "" })
}

// Exact reports whether all VMs are rendered as they are, by the files with the changes.
func (r *Merged) Exact() bool {
	return !slices.ContainsFunc(r.Machines, func(m *Machine) bool { return !m.Exact() })
}

// Diff writes the changes of the files as `diff -u` does. What can be a secret is not shown.
func (r *Merged) Diff(w io.Writer) error {
	var out bytes.Buffer
	for _, f := range r.Files {
		from, at := "/dev/null", r.path(&f)
		if f.Was != nil {
			from = at
		}
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, at)
		was, now := concealed(f.Was), concealed(f.Text)
		if r.conceals(&f) || was == nil && f.Was != nil || now == nil {
			fmt.Fprintf(&out, "(the changes may contain secrets, and are not shown)\n")
			continue
		}
		out.Write(hunks(was, now))
	}
	_, err := io.WriteString(w, secrets.MaskedIn(out.String()))
	return err
}

// conceals reports whether a file has an entry whose values must not be shown, wherever they are.
func (r *Merged) conceals(f *File) bool {
	return slices.ContainsFunc(r.Machines, func(m *Machine) bool { return m.Hidden && m.File == f.Path })
}

// hunks returns how one text becomes the other, without the lines with the names of files.
func hunks(was, now []byte) []byte {
	text := diff.Diff("", was, "", now)
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// secretKeys are the keys of an entry or of defaults whose values can be secrets.
var secretKeys = [][]string{
	{"cloudInit", "password"},
	{"cloudInit", "userData"},
	{"cloudInit", "networkData"},
	{"cloudInit", "runcmd"},
	{"cloudInit", "runcmd" + values.Plus},
	{"cloudInit", "extra"},
	{"overrides"},
	{"patches"},
	{"patches" + values.Plus},
	{"vars"},
	{"objects"},
	{"lifecycle", "ansible", "extraVars"},
}

// concealed returns the text of a file without what can be a secret; nil if that cannot be told
// from the rest.
func concealed(text []byte) []byte {
	if text == nil {
		return nil
	}
	var changes []edit.Change
	for _, doc := range source.Parse(&source.File{Data: text}, new(source.Diagnostics)) {
		levels := [][]string{{"defaults"}, {}}
		for _, f := range doc.Get("vms").Entries() {
			levels = append(levels, []string{"vms", f.Key})
		}
		for _, at := range levels {
			for _, key := range secretKeys {
				path := slices.Concat(at, key)
				if doc.Get(path...).IsSet() {
					changes = append(changes, edit.Change{Path: path, Value: node.Value(notShown)})
				}
			}
		}
	}
	out, err := edit.Apply("", text, changes...)
	if err != nil {
		return nil
	}
	return out
}

// Report writes what became of each VM: a line, and one for each change, for what is
// left to the user, and for what was done in the cluster.
func (r *Merged) Report(w io.Writer) error {
	var out bytes.Buffer
	var steps []string
	for _, m := range r.Machines {
		m.report(&out, r.path(&File{Path: m.File}))
		for _, n := range m.Notes {
			if n.Steps != "" && !slices.Contains(steps, n.Steps) {
				steps = append(steps, n.Steps)
			}
		}
	}
	for _, s := range steps {
		fmt.Fprintf(&out, "note: %s\n", s)
	}
	r.sums(&out)
	_, err := io.WriteString(w, secrets.MaskedIn(out.String()))
	return err
}

func (m *Machine) report(out *bytes.Buffer, file string) {
	fmt.Fprintf(out, "%s/%s: %s\n", m.Namespace, m.Name, m.verdict(file))
	for _, c := range m.Changes {
		if m.Added {
			break // the diff has all of them
		}
		if m.Hidden {
			c.Was, c.Becomes = notShown, notShown
		}
		fmt.Fprintf(out, "  %s: %s, becomes %s%s\n", c.Path, c.Was, c.Becomes, inherited(c.Origin))
	}
	for _, c := range m.Asks {
		if m.Hidden {
			c.Was, c.Becomes = notShown, notShown
		}
		fmt.Fprintf(out, "  needs a decision: %s: %s, would become %s%s: %s\n",
			c.Path, c.Was, c.Becomes, inherited(c.Origin), c.Why)
	}
	for _, d := range m.Differences {
		fmt.Fprintf(out, "  differs: %s\n", d)
	}
	for _, effect := range m.Effects {
		fmt.Fprintf(out, "  a sync: %s\n", effect)
	}
	for _, d := range m.Dropped {
		fmt.Fprintf(out, "  no longer rendered: %s\n", d)
	}
	for _, d := range m.ByHand {
		if m.Hidden {
			d = adopt.PathOf(d) + ": changed in the cluster; values are not shown"
		}
		fmt.Fprintf(out, "  manually: %s\n", d)
	}
	for _, n := range m.Notes {
		fmt.Fprintf(out, "  %s\n", n.Text)
	}
}

// verdict describes in a few words what became of the VM.
func (m *Machine) verdict(file string) string {
	what := "changed in " + file
	switch {
	case m.Refused != "":
		return "refused: " + m.Refused
	case m.Added:
		what = "added to " + file
	case len(m.Changes) == 0:
		what = "unchanged"
	}
	if len(m.Differences) > 0 {
		return what + ", differs"
	}
	return what + ", exact"
}

func inherited(origin string) string {
	if origin == "" {
		return ""
	}
	return " (inherited from " + origin + ")"
}

func (r *Merged) sums(out *bytes.Buffer) {
	added, altered, exact, refused := 0, 0, 0, 0
	for _, m := range r.Machines {
		switch {
		case m.Refused != "":
			refused++
		case m.Added:
			added++
		case len(m.Changes) > 0:
			altered++
		}
		if m.Exact() {
			exact++
		}
	}
	fmt.Fprintf(out, "%d of %s exact; %d added, %d changed, %d refused\n",
		exact, wording.Count(len(r.Machines), "VM"), added, altered, refused)
}

// Save writes the files that change below the root of the fleet, all or none, and only if they are still what was read.
// The error names the file that is not.
func (r *Merged) Save() error {
	dir, err := files.Open(r.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	var b files.Batch
	defer b.Discard()
	for _, f := range r.Files {
		if f.Was == nil {
			err = b.Create(dir, f.Path, f.Text)
		} else {
			err = b.Replace(dir, f.Path, f.Was, f.Text)
		}
		if err != nil {
			return err
		}
	}
	return b.Commit()
}

// notShown stands for what can be a secret.
const notShown = "(not shown)"

// Names returns the paths of the files that change, as the user would write them, in the order of Files.
func (r *Merged) Names() []string {
	out := make([]string, len(r.Files))
	for i := range r.Files {
		out[i] = r.path(&r.Files[i])
	}
	return out
}

func (r *Merged) path(f *File) string { return filepath.ToSlash(filepath.Join(r.Root, f.Path)) }
