package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
)

// howTo returns the path of a page, and its text.
func howTo(t *testing.T, name string) (path, page string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../docs/how-to", name))
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return path, string(text)
}

// The terminal sessions in docs/how-to/hold.md are true for a fleet of 24 VMs. With -update, the page is corrected.
func TestHoldPage(t *testing.T) {
	path, page := howTo(t, "hold.md")
	t.Chdir(t.TempDir())
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	require.NoError(t, os.Mkdir("vms", 0o700))
	write("fleet.yaml", "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\n"+
		"defaults: {namespace: prod, os: rhel9, flavor: small}\ntarget: {liveMigratable: true}\npolicy: {hold: restart}\n")
	var others strings.Builder
	for i := 2; i <= 23; i++ {
		fmt.Fprintf(&others, "  web%02d: {}\n", i)
	}
	fleet := func(cores int, memory string) {
		write("vms/db.yaml", fmt.Sprintf("vms:\n  db01: {cpu: {cores: %d}}\n", cores))
		write("vms/web.yaml", "vms:\n  web01: {memory: "+memory+"}\n"+others.String())
	}
	fleet(2, "4Gi")
	asAuthor(t)
	tool(t, "git init --quiet --initial-branch=main && git add . && git commit --quiet -m one")
	tool(t, "git update-ref refs/remotes/origin/main HEAD")
	fleet(4, "6Gi")
	approval := ""
	golden.Equal(t, path, docblocks.Rewrite(page, func(b docblocks.Block) string {
		if b.Lang != "console" {
			return b.Text
		}
		if b.Section == "Release a change" {
			write("vms/db.yaml", "vms:\n  db01: {cpu: {cores: 4}, "+approval+"}\n")
		}
		text := terminal(t, b)
		if approval == "" {
			approval = regexp.MustCompile(`approve: \S+`).FindString(text)
		}
		return text
	}))
	require.NotEmpty(t, approval)
}

// The report in docs/how-to/drain.md is true for a node with three VMs. With -update, the page is corrected.
func TestDrainPage(t *testing.T) {
	path, page := howTo(t, "drain.md")
	export, err := os.ReadFile("testdata/drain_page.yaml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("export.yaml", export, 0o600))
	golden.Equal(t, path, docblocks.Rewrite(page, func(b docblocks.Block) string {
		if b.Lang != "console" {
			return b.Text
		}
		return terminal(t, b)
	}))
}

// The numbers in the pages about Jobs are those that are rendered: each text of a page stands for one of the output.
func TestNumbersOfJobs(t *testing.T) {
	pages := map[string]string{}
	for _, name := range []string{"maintenance.md", "power.md", "snapshots.md"} {
		_, pages[name] = howTo(t, name)
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("fleet.yaml", []byte(`apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site-a}
target: {image: registry.example.com/vmrender:1.0}
defaults: {namespace: prod, os: fedora, flavor: small}
`), 0o600))
	require.NoError(t, os.WriteFile("vms.yaml", []byte(`vms:
  window: {maintenance: Sun 02:00-04:00 Europe/Berlin}
  scheduled: {snapshots: daily 01:30 Europe/Berlin}
  powered: {power: {off: daily 19:00 Europe/Berlin, on: Mon-Fri 07:00 Europe/Berlin}}
`), 0o600))
	status, rendered, stderr := run("template")
	require.Equal(t, statusOK, status, stderr)
	for _, c := range []struct{ page, says, job, means string }{
		{"maintenance.md", "longer than 15 minutes", "-window", "--timeout 15m"},
		{"maintenance.md", "the default is 1 ", "-window", "--max-unavailable 1"},
		{"maintenance.md", "`name`, the default", "-window", "--order name"},
		{"snapshots.md", "for at most an hour. ", "-snapshot", "--timeout 1h"},
		{"snapshots.md", "does so up to an hour later", "-snapshot", "startingDeadlineSeconds: 3600"},
		{"snapshots.md", "the default is 7 ", "-snapshot", "--keep 7"},
		{"power.md", "at most 15 minutes in addition", "-power-off", "--timeout 15m"},
		{"power.md", "at most 15 minutes in addition", "-power-on", "--timeout 15m"},
		{"power.md", "does so up to an hour later", "-power-off", "startingDeadlineSeconds: 3600"},
		{"power.md", "does so up to an hour later", "-power-on", "startingDeadlineSeconds: 3600"},
	} {
		require.Contains(t, pages[c.page], c.says, c.page)
		require.Contains(t, cronJobText(t, rendered, c.job), c.means, c.page)
	}
}

// cronJobText returns the CronJob whose name has an ending, with its arguments on one line.
func cronJobText(t *testing.T, rendered, ending string) string {
	t.Helper()
	for object := range strings.SplitSeq(rendered, "\n---\n") {
		isIt := regexp.MustCompile(`(?m)^  name: \S+` + ending + `$`).MatchString(object)
		if isIt && strings.Contains(object, "kind: CronJob\n") {
			return strings.ReplaceAll(regexp.MustCompile(`\n +- `).ReplaceAllString(object, " "), `"`, "")
		}
	}
	require.Fail(t, "no CronJob "+ending)
	return ""
}

// What docs/how-to/maintenance.md shows of a plan is true for a VM with the window on the page.
func TestMaintenancePage(t *testing.T) {
	_, page := howTo(t, "maintenance.md")
	t.Chdir(t.TempDir())
	for dir, key := range map[string]string{"old": "", "new": "tpm: true"} {
		oneVM(t, dir, "maintenance: {window: \"Sun 02:00-04:00 Europe/Berlin\", order: dependsOn}", "db: {"+key+"}")
	}
	status, plan, stderr := run("plan", "old", "new")
	require.Equal(t, statusOK, status, stderr)
	_, next, _ := strings.Cut(plan, "\nnext\n")
	require.Contains(t, page, "```\nnext\n"+next+"```")
}

// What docs/how-to/restore.md shows of a plan is true, with the token.
func TestRestorePage(t *testing.T) {
	_, page := howTo(t, "restore.md")
	t.Chdir(t.TempDir())
	oneVM(t, "old", "disks: {data: 10Gi}", "db: {}")
	oneVM(t, "new", "disks: {data: 10Gi}", "db: {restoreFrom: db-at-20261127-0030}")
	require.NoError(t, os.WriteFile("export.yaml", []byte(`apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Event
  metadata: {name: last, namespace: prod, creationTimestamp: "2026-11-27T09:35:00Z"}
- apiVersion: snapshot.kubevirt.io/v1beta1
  kind: VirtualMachineSnapshot
  metadata: {name: db-at-20261127-0030, namespace: prod, creationTimestamp: "2026-11-27T00:29:00Z"}
  spec: {source: {apiGroup: kubevirt.io, kind: VirtualMachine, name: db}}
  status: {phase: Succeeded, readyToUse: true, creationTime: "2026-11-27T00:30:00Z"}
`), 0o600))
	status, plan, stderr := run("plan", "--live", "export.yaml", "old", "new")
	require.Equal(t, statusOK, status, stderr)
	shown := regexp.MustCompile(`(?s)  metadata: labels.*?\n   ` + "```").FindString(page)
	require.NotEmpty(t, shown)
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(line)
		require.True(t, line == "```" || strings.Contains(plan, line), "%s\n%s", line, plan)
	}
	token := regexp.MustCompile(`token: (\S+)\}`).FindStringSubmatch(plan)
	require.Len(t, token, 2)
	require.Equal(t, strings.Count(page, "token: 1-"), strings.Count(page, "token: "+token[1]))
}

// oneVM writes a fleet in a directory with one VM, and keys that all VMs have.
func oneVM(t *testing.T, dir, keys, entry string) {
	t.Helper()
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte("apiVersion: vmrender.io/v1alpha1\n"+
		"kind: Fleet\nmetadata: {name: site-a}\n"+
		"target: {kubevirt: \"1.8\", openshift: true, image: registry.example.com/vmrender:1.0}\n"+
		"defaults:\n  namespace: prod\n  os: fedora\n  flavor: small\n  "+keys+"\nvms:\n  "+entry+"\n"), 0o600))
}
