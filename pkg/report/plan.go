package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/limits"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

// Plan is what a sync will do, with the facts that a reader needs to assess it.
type Plan struct {
	*plan.Plan
	// Version of vmrender, for formats that name the tool.
	Version string
	// From and To are what is compared.
	From, To Side
	// Unknown is what the inputs of the whole comparison leave open, in a few words each, such as
	// "the state in the cluster".
	Unknown []string
	// Place finds the lines of annotations; nil if there are no values files.
	Place Locator
	// Limits are those of the fleet that the plan exceeds.
	Limits []limits.Excess
	// Holds are the VMs whose change the fleet holds, or should hold.
	Holds []hold.VM
	// Command is the command line that prints all of the plan. Formats that leave
	// parts out name it.
	Command string
	// Verbose adds every cause to the text for users.
	Verbose bool
	// Terminal is what the text is written to.
	Terminal Terminal
}

// Side is one of the two sets of objects that are compared. Empty fields are left out.
type Side struct {
	// What the objects are of, such as "main@1a2b3c4d5e6f", "work tree
	// (uncommitted changes)", "cluster" or a directory.
	Label string `json:"label"`
	// The path of the fleet, the platform or the manifests.
	Path string `json:"path,omitempty"`
	// The overlays that are merged over it, in their order.
	Overlays []string `json:"overlays,omitempty"`
	// The versions that it is for, such as "kubevirt 1.8".
	Targets []string `json:"targets,omitempty"`
	// The settings of the cluster that the levels depend on, such as "vmRolloutStrategy
	// LiveUpdate".
	Settings []string `json:"settings,omitempty"`
	// The time at which the objects were exported from a cluster, as the
	// export states it.
	Exported string `json:"exported,omitempty"`
}

// Locator returns the place of the value that a key, such as "memory" or "disks.data",
// has for a VM, or the nearest place that is known. The key is empty for the
// object as a whole. The zero value means no place.
type Locator func(object manifest.ID, key string) source.Pos

// Terminal is how a text is shown. The zero value is for a file.
type Terminal struct {
	// Color is true if colors are shown.
	Color bool
	// Width is the number of characters of a line, or 0 if lines are not cut.
	Width int
}

// PlanFormat is an output format for a [Plan].
type PlanFormat struct {
	Name  string // such as "markdown"
	Write func(io.Writer, Plan) error
}

// PlanFormats returns all formats, the one for users first.
func PlanFormats() []PlanFormat {
	return []PlanFormat{
		{"text", PlanText},
		{"markdown", PlanMarkdown},
		{"json", PlanJSON},
		{"sarif", PlanSARIF},
		{"github", PlanGitHub},
	}
}

// String returns the format's name.
func (f PlanFormat) String() string { return f.Name }

// Reaches reports whether a VM or another object has this level or a worse one.
// Nothing reaches [plan.None].
func (p Plan) Reaches(level impact.Level) bool { return level > impact.None && p.Worst() >= level }

// Headline returns the plan in one line with counts, such as
// "3 of 40 VMs: 1 data loss, 2 restart; 5 other objects; 1 warning". VMs that are adopted
// are among those that change: "3 of 3 VMs: 3 adopted".
func (p Plan) Headline() string {
	s := p.Summary
	vms, changed := total(s.VMs), total(s.VMs)-s.VMs[impact.None]+s.Adopted
	objects := total(s.Objects) - s.Objects[impact.None]
	var parts []string
	switch {
	case changed > 0:
		parts = append(parts, fmt.Sprintf("%d of %s: %s", changed, problems.Count(vms, "VM"), vmCounts(s)))
	case objects == 0:
		parts = append(parts, strings.TrimSuffix("nothing changes for "+problems.Count(vms, "VM"), " for 0 VMs"))
	case vms > 0:
		parts = append(parts, "none of "+problems.Count(vms, "VM"))
	}
	if objects > 0 {
		parts = append(parts, objectCount(objects, vms > 0, s.Objects))
	}
	if s.Approximate > 0 {
		parts = append(parts, fmt.Sprintf("%d approximate [?]", s.Approximate))
	}
	if s.Warnings > 0 {
		parts = append(parts, problems.Count(s.Warnings, "warning"))
	}
	if gate := p.GateHeadline(); gate != "" {
		parts = append(parts, gate)
	}
	return strings.Join(parts, "; ")
}

// objectCount returns the number of objects by level; next to VMs, only the levels that
// the user must not miss.
func objectCount(n int, others bool, levels map[impact.Level]int) string {
	noun, least := "object", impact.Create
	if others {
		noun, least = "other object", impact.Staged
	}
	if counts := levelCounts(levels, least); counts != "" {
		return problems.Count(n, noun) + ": " + counts
	}
	return problems.Count(n, noun)
}

func total(levels map[impact.Level]int) int {
	n := 0
	for _, count := range levels {
		n += count
	}
	return n
}

// levelCounts returns "1 data loss, 2 restart": the levels from least on, worst first.
func levelCounts(levels map[impact.Level]int, least impact.Level) string {
	var parts []string
	for _, l := range worstFirst() {
		if n := levels[l]; n > 0 && l >= least {
			parts = append(parts, fmt.Sprintf("%d %s", n, levelWords(l)))
		}
	}
	return strings.Join(parts, ", ")
}

// vmCounts returns the VMs that change by level, and those that are adopted.
func vmCounts(s plan.Summary) string {
	counts := levelCounts(s.VMs, impact.Create)
	if s.Adopted == 0 {
		return counts
	}
	return strings.TrimPrefix(counts+fmt.Sprintf(", %d %s", s.Adopted, adopted), ", ")
}

func worstFirst() []impact.Level {
	levels := impact.Levels()
	slices.Reverse(levels)
	return levels
}

// levelWords returns a level in words for users, such as "data loss".
func levelWords(l impact.Level) string { return strings.ReplaceAll(l.String(), "-", " ") }

// levelGroup is the verdicts of one level; of [plan.None], those of VMs that are
// adopted.
type levelGroup struct {
	Level    impact.Level
	Verdicts []*plan.Verdict
}

// adopted is the word for VMs that are adopted.
const adopted = "adopted"

// words returns the level in words for users.
func (g *levelGroup) words() string {
	if g.Level == impact.None {
		return adopted
	}
	return levelWords(g.Level)
}

// meaning returns what the level means, in a few words.
func (g *levelGroup) meaning() string {
	if g.Level == impact.None {
		return "new in Git, and already in the cluster in the same state: nothing happens"
	}
	return g.Level.Meaning()
}

// byLevel returns the verdicts that change or adopt something, in groups, the worst first.
func byLevel(list []plan.Verdict) []levelGroup {
	groups := make([]levelGroup, len(impact.Levels()))
	for i := range list {
		if list[i].Level == impact.None && !list[i].Adopted {
			continue
		}
		g := &groups[list[i].Level]
		g.Level, g.Verdicts = list[i].Level, append(g.Verdicts, &list[i])
	}
	groups = slices.DeleteFunc(groups, func(g levelGroup) bool { return len(g.Verdicts) == 0 })
	slices.Reverse(groups)
	return groups
}

// name returns the name of an object with its namespace.
func name(id manifest.ID) string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "/" + id.Name
}

// title returns the name of a VM, or the kind and name of another object.
func title(id manifest.ID) string {
	if id.Kind == "VirtualMachine" || id.Kind == "VirtualMachinePool" {
		return name(id)
	}
	return id.String()
}

// moved returns the name of a VM, after its former one if it has another now.
func moved(v *plan.Verdict) string {
	if v.Was == nil {
		return name(v.ID)
	}
	return name(*v.Was) + " → " + name(v.ID)
}

// About returns what a cause is about, without the reason: the key or else the path, and
// the object if it is another one than the verdict's.
func About(c *impact.Cause) string {
	what := c.Key
	if what == "" {
		what = c.Path
	}
	switch {
	case c.Object == (manifest.ID{}):
		return what
	case what == "":
		return c.Object.String()
	}
	return what + ", " + c.Object.String()
}
