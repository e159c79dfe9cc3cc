package rollout

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// TestPlan checks which VMs are restarted now. A word describes the state of each VM.
func TestPlan(t *testing.T) {
	states := map[string]func(*machine){
		"current":  func(*machine) {},
		"outdated": needsRestart,
		"sick":     func(m *machine) { notReady(m); needsRestart(m) },
		"down":     notReady,
		"moving":   func(m *machine) { needsRestart(m); requested(m) },
		"import":   func(m *machine) { bump(m, cdiv1.ImportInProgress) },
		"dark":     func(m *machine) { bump(m, cdiv1.ImportInProgress); notReady(m) },
		"halted":   func(m *machine) { strategy("Halted")(m); needsRestart(m) },
		"paused":   func(m *machine) { paused(m); notReady(m) },
	}
	for name, c := range map[string]struct{ most, machines, want string }{
		"one at a time":                {"1", "outdated/outdated/outdated", "a"},
		"missing annotation":           {"", "outdated/outdated", "a"},
		"batch":                        {"2", "outdated/outdated/outdated", "a b"},
		"never none":                   {"0", "outdated/outdated", "a"},
		"percentage, rounded down":     {"50%", "outdated/outdated/outdated/outdated/outdated", "a b"},
		"percentage, never none":       {"10%", "outdated/outdated", "a"},
		"percentage of those that run": {"50%", "outdated/outdated/outdated/halted/halted", "a"},
		"all":                          {"100%", "outdated/outdated/outdated", "a b c"},
		"goes on":                      {"1", "current/outdated/outdated", "b"},
		"one under way":                {"1", "moving/outdated", ""},
		"one under way of two":         {"2", "moving/outdated/outdated", "b"},
		"one down takes a place":       {"1", "down/outdated", ""},
		"one down of two":              {"2", "outdated/down/outdated", "a"},
		"sick first":                   {"1", "outdated/sick", "b"},
		"sick ones within the maximum": {"1", "sick/sick/outdated", "a"},
		"sick ones take the place of healthy ones": {"2", "outdated/sick/outdated/sick", "b d"},
		"sick and healthy":                         {"2", "outdated/sick/outdated", "a b"},
		"import does not block":                    {"1", "import/outdated", "b"},
		"import of one that is down takes a place": {"1", "dark/outdated", ""},
		"halted ones are not restarted":            {"2", "halted/halted", ""},
		"halted ones do not count as unavailable":  {"1", "halted/outdated", "b"},
		"paused ones do not count as unavailable":  {"1", "paused/outdated", "b"},
		"done":                              {"1", "current/current", ""},
		"more unavailable than the maximum": {"1", "down/down/outdated", ""},
		"maximum above the number of those that do": {"9", "outdated/current", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []*machine
			for i, word := range strings.Split(c.machines, "/") {
				m := running(string(rune('a' + i)))
				if c.most != "" {
					m.Annotations[labels.MaxUnavailable] = c.most
				}
				states[word](m)
				all = append(all, m)
			}
			restart, err := plan(observe(all, new(record)))
			require.NoError(t, err)
			require.Equal(t, c.want, names(restart))
		})
	}
}

func names(list []observed) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Name)
	}
	return strings.Join(out, " ")
}

func TestPlanOfGroups(t *testing.T) {
	var all []*machine
	for name, most := range map[string]string{"a": "1", "b": "1", "c": "2", "d": "2", "e": "2"} {
		m := running(name)
		m.Annotations[labels.MaxUnavailable] = most
		needsRestart(m)
		all = append(all, m)
	}
	restart, err := plan(observe(all, new(record)))
	require.NoError(t, err)
	require.Equal(t, "a c d", names(restart), "each maximum is its own budget")
}

// Each entry with replicas has its own budget, and so a percentage of its own replicas.
// All VMs that are not replicas share one budget.
func TestPlanOfEntries(t *testing.T) {
	var all []*machine
	add := func(entry string, names ...string) {
		for _, name := range names {
			m := running(name)
			m.Annotations[labels.MaxUnavailable] = "25%"
			if entry != "" {
				m.Annotations[labels.Entry] = entry
			}
			needsRestart(m)
			all = append(all, m)
		}
	}
	add("api", "api-0", "api-1")
	add("web", "web-0", "web-1", "web-2", "web-3", "web-4", "web-5", "web-6", "web-7", "web-8", "web-9")
	add("", "lone", "other", "third")
	restart, err := plan(observe(all, new(record)))
	require.NoError(t, err)
	require.Equal(t, "api-0 lone web-0 web-1", names(restart))
}

func TestPlanRefusesBadAnnotations(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{
			labels.MaxUnavailable, "some", `web: annotation vmrender.io/max-unavailable: invalid value "some"; ` +
				`expected a number such as "2" or a percentage such as "25%"`,
		},
		{
			labels.MaxUnavailable, "-1", `web: annotation vmrender.io/max-unavailable: invalid value "-1"; ` +
				`expected a number such as "2" or a percentage such as "25%"`,
		},
		{labels.KeepOld, "all", `web: annotation vmrender.io/keep-old: invalid number "all"; expected 0 or more`},
		{
			labels.ProgressDeadline, "0",
			`web: annotation vmrender.io/progress-deadline-seconds: invalid number "0"; expected seconds, from 1`,
		},
		{labels.KeepOld, "-1", `web: annotation vmrender.io/keep-old: invalid number "-1"; expected 0 or more`},
	} {
		m := running("web")
		needsRestart(m)
		m.Annotations[c.key] = c.value
		_, err := plan(observe([]*machine{m}, new(record)))
		require.EqualError(t, err, c.want)
	}
}

func TestOutdatedDisks(t *testing.T) {
	m := running("web") // runs web-root-1
	bump(m, cdiv1.Succeeded)
	day := func(n int) metav1.Time { return metav1.NewTime(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)) }
	add := func(name string, created int, change func(*cdiv1.DataVolume)) {
		d := filled("web", name, cdiv1.Succeeded)
		d.CreationTimestamp = day(created)
		if change != nil {
			change(d)
		}
		m.disks[name] = d
	}
	add("web-root-a", 1, nil)
	add("web-root-b", 3, nil)
	add("web-root-c", 2, nil)
	add("web-root-d", 2, nil)
	add("web-data", 1, func(d *cdiv1.DataVolume) { d.Labels = nil })
	add("other-root", 1, func(d *cdiv1.DataVolume) { d.OwnerReferences[0].UID = types.UID("uid-other") })
	add("web-root-free", 1, func(d *cdiv1.DataVolume) { d.OwnerReferences = nil })
	add("web-root-lent", 1, nil)
	add("web-root-going", 1, func(d *cdiv1.DataVolume) { d.DeletionTimestamp = new(day(4)) })

	inUse := map[string]bool{"web-root-1": true, "web-root-2": true, "web-root-lent": true}
	removed := func(keep int, ran ...string) string {
		var got []string
		for _, d := range outdatedDisks(m, keep, inUse, ran) {
			got = append(got, d.Name)
		}
		return strings.Join(got, " ")
	}
	for keep, want := range []string{
		"web-root-b web-root-c web-root-d web-root-a", "web-root-c web-root-d web-root-a",
		"web-root-d web-root-a", "web-root-a", "", "",
	} {
		require.Equal(t, want, removed(keep), "keep %d; what is in use always stays", keep)
	}
	require.Equal(t, "web-root-b web-root-d", removed(2, "web-root-2", "web-root-a", "web-root-gone", "web-root-c"),
		"what ran last is kept, whatever is newer")
}
