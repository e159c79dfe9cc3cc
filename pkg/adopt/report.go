package adopt

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/internal/wording"
)

// Exact reports whether all VMs are part of the fleet, and are rendered as they are.
func (r *Result) Exact() bool {
	return !slices.ContainsFunc(r.Machines, func(m *Machine) bool { return !m.Exact() })
}

// Refused reports whether a VM is not part of the fleet.
func (r *Result) Refused() bool {
	return slices.ContainsFunc(r.Machines, func(m *Machine) bool { return m.Refused != "" })
}

// Write writes the files of the fleet one after the other, each below a line with its path.
func (r *Result) Write(w io.Writer) error {
	var out bytes.Buffer
	for i, f := range r.Files {
		if i > 0 {
			out.WriteString("---\n")
		}
		fmt.Fprintf(&out, "# %s\n%s", f.Path, f.Text)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Save writes the files of the fleet to a directory, and creates it if needed. If one of them
// exists with other content, it writes none.
func (r *Result) Save(dir string) error {
	all := make([]files.File, len(r.Files))
	for i, f := range r.Files {
		all[len(all)-1-i] = files.File{Name: f.Path, Data: f.Text} // fleet.yaml, the first, is written last
	}
	return files.WriteNew(dir, all)
}

// Report writes what became of each VM, with remarks for the user, and the totals.
func (r *Result) Report(w io.Writer) error {
	var out bytes.Buffer
	var steps []string
	for _, m := range r.Machines {
		m.report(&out)
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
	_, err := w.Write(out.Bytes())
	return err
}

// report writes what became of the VM: a line, and one for each difference and note.
func (m *Machine) report(out *bytes.Buffer) {
	verdict := "exact"
	switch {
	case m.Refused != "":
		verdict = "refused: " + m.Refused
	case len(m.Differences) > 0:
		verdict = "differs"
	}
	fmt.Fprintf(out, "%s/%s: %s\n", m.Namespace, m.Name, verdict)
	for _, d := range m.Differences {
		fmt.Fprintf(out, "  %s\n", d)
	}
	for _, effect := range m.Effects {
		fmt.Fprintf(out, "  a sync: %s\n", effect)
	}
	for _, n := range m.Notes {
		fmt.Fprintf(out, "  %s\n", n.Text)
	}
}

// sums writes how many VMs there are, and how much shorter their files are than
// their manifests.
func (r *Result) sums(out *bytes.Buffer) {
	exact, refused, read := 0, 0, 0
	for _, m := range r.Machines {
		switch {
		case m.Refused != "":
			refused++
			continue
		case m.Exact():
			exact++
		}
		read += m.ManifestLines
	}
	fmt.Fprintf(out, "%d of %s exact", exact, wording.Count(len(r.Machines), "VM"))
	if differ := len(r.Machines) - exact - refused; differ > 0 {
		fmt.Fprintf(out, ", %d different", differ)
	}
	if refused > 0 {
		fmt.Fprintf(out, ", %d refused", refused)
	}
	if n := r.lines(); read > 0 {
		fmt.Fprintf(out, "; %d lines of manifests became %d: a factor of %.1f", read, n, float64(read)/float64(n))
	}
	out.WriteString("\n")
}

// lines returns the number of lines of all files.
func (r *Result) lines() int {
	n := 0
	for _, f := range r.Files {
		n += bytes.Count(f.Text, []byte("\n"))
	}
	return n
}
