package writeback_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/writeback"
)

// merging is an archive. It contains the files of a fleet below fleet/, the edits of its
// VMs in the cluster, VMs that the fleet lacks, and the expected diff and report as golden
// files.
type merging struct {
	dir     string
	fleet   map[string]string
	edits   map[string][]patch.Operation // by namespace/name
	live    []manifest.Object
	at      string // target of the merge
	options writeback.Options
}

func TestMerge(t *testing.T) {
	archives, err := filepath.Glob("testdata/merge/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, file := range archives {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			m := readMerging(t, archive)
			live := m.machines(t)
			merged, err := writeback.Merge(live, m.at, m.options)
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
				return f.Name == "diff" || f.Name == "report"
			})
			add := func(name, text string) {
				text = strings.ReplaceAll(text, filepath.ToSlash(m.dir)+"/", "")
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
			}
			if err != nil {
				add("report", err.Error()+"\n")
			} else {
				diff, report := written(t, merged)
				require.NotContains(t, diff+report, "correct-horse", "a secret is shown")
				add("diff", diff)
				add("report", report)
				m.again(t, merged, live)
			}
			golden.Equal(t, file, string(txtar.Format(archive)))
		})
	}
}

func readMerging(t *testing.T, archive *txtar.Archive) *merging {
	t.Helper()
	m := &merging{dir: t.TempDir(), fleet: map[string]string{}, edits: map[string][]patch.Operation{}}
	m.at = filepath.Join(m.dir, "fleet")
	m.options.Fleet = fleet.Options{Limit: m.dir}
	for _, f := range archive.Files {
		switch name, isFleet := strings.CutPrefix(f.Name, "fleet/"); {
		case isFleet:
			m.fleet[name] = string(f.Data)
			write(t, filepath.Join(m.dir, f.Name), f.Data)
		case f.Name == "edits":
			var diags source.Diagnostics
			source.Decode(source.Parse(&source.File{Data: f.Data}, &diags)[0], &m.edits, "", &diags)
			require.Empty(t, diags.Sorted())
		case f.Name == "live.yaml":
			objects, err := manifest.Read(bytes.NewReader(f.Data))
			require.NoError(t, err)
			m.live = objects
		case f.Name == "map":
			var diags source.Diagnostics
			m.options.Mapping = adopt.Mapping{}
			source.Decode(source.Parse(&source.File{Data: f.Data}, &diags)[0], &m.options.Mapping, "", &diags)
			require.Empty(t, diags.Sorted())
		case f.Name == "overlay.yaml":
			write(t, filepath.Join(m.dir, f.Name), f.Data)
			m.options.Fleet.Overlays = append(m.options.Fleet.Overlays, filepath.Join(m.dir, f.Name))
		case f.Name == "at":
			m.at = filepath.Join(m.dir, "fleet", strings.TrimSpace(string(f.Data)))
		case f.Name == "overwrite-templates":
			m.options.Templates = true
		}
	}
	return m
}

func write(t testing.TB, at string, text []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
	require.NoError(t, os.WriteFile(at, text, 0o600))
}

// rendered returns the objects of a fleet.
func rendered(t testing.TB, dir string, opts fleet.Options) []manifest.Object {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, opts, c.Visit)
	all := c.Rendered(diags)
	for _, d := range diags.Sorted() {
		require.NotEqual(t, source.Error, d.Severity, d.String())
	}
	objects := render.Objects(all...)
	return objects
}

// machines returns the VMs of the cluster: those of the fleet, with the edits, and others.
func (m *merging) machines(t *testing.T) []manifest.Object {
	t.Helper()
	out := slices.Clone(m.live)
	for _, o := range rendered(t, filepath.Join(m.dir, "fleet"), m.options.Fleet) {
		if o.Kind == "VirtualMachine" {
			ops := m.edits[o.Namespace+"/"+o.Name]
			delete(m.edits, o.Namespace+"/"+o.Name)
			out = append(out, edited(t, o, ops...))
		}
	}
	require.Empty(t, m.edits, "edits of VMs that are not there")
	return out
}

func edited(t *testing.T, o manifest.Object, ops ...patch.Operation) manifest.Object {
	t.Helper()
	n, err := patch.FromJSON(o.JSON, new(source.Node))
	require.NoError(t, err)
	d := patch.Document{Tree: n}
	for _, op := range ops {
		require.NoError(t, d.Apply(&op), op.String())
	}
	return manifest.Object{ID: o.ID, JSON: source.AppendJSON(nil, d.Tree)}
}

func written(t *testing.T, merged *writeback.Merged) (diff, report string) {
	t.Helper()
	var a, b bytes.Buffer
	require.NoError(t, merged.Diff(&a))
	require.NoError(t, merged.Report(&b))
	return a.String(), b.String()
}

// again writes the merged files and merges the same VMs once more, which must change
// nothing. Files that are not reported keep every byte.
func (m *merging) again(t *testing.T, merged *writeback.Merged, live []manifest.Object) {
	t.Helper()
	require.NoError(t, merged.Save())
	again, err := writeback.Merge(live, m.at, m.options)
	require.NoError(t, err)
	diff, _ := written(t, again)
	require.Empty(t, diff, "a second merge changes more")
	for _, f := range merged.Files {
		delete(m.fleet, f.Path)
	}
	for file, text := range m.fleet {
		now, err := os.ReadFile(filepath.Join(m.dir, "fleet", file))
		require.NoError(t, err)
		require.Equal(t, text, string(now), file)
	}
}
