package render

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/source"
)

// collected returns the output of a Collector after visiting VMs.
func collected(t *testing.T, machines ...*machine.Machine) []Rendered {
	t.Helper()
	c := NewCollector()
	for _, m := range machines {
		var diags source.Diagnostics
		c.Visit(m, &diags)
		require.Empty(t, diags.Sorted())
	}
	var diags source.Diagnostics
	rendered := c.Rendered(&diags)
	require.Empty(t, diags.Sorted())
	return rendered
}

func named(m *machine.Machine, namespace, name string) *machine.Machine {
	for i := range m.Disks {
		d := &m.Disks[i]
		d.Claim = strings.Replace(d.Claim, m.Name, name, 1)
	}
	m.Namespace, m.Name = namespace, name
	return m
}

// The Jobs of a fleet are in golden files. Two VMs of a namespace share one Job, which
// uses their image and their part of the fleet.
func TestJobsGolden(t *testing.T) {
	a, b := named(cattleMachine(t), "prod", "b"), named(cattleMachine(t), "prod", "a")
	p, q := named(ansibleMachine(t), "prod", "q"), named(ansibleMachine(t), "prod", "p")
	for _, m := range []*machine.Machine{a, b, p, q} {
		m.Lifecycle.Ansible = nil
		m.Target.Image = "registry.example.com/vmrender:1.0"
	}
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	jobs := 0
	for _, r := range collected(t, q, a, p, b) {
		if r.Jobs {
			jobs++
			require.NoError(t, Write(w, r))
		}
	}
	require.NoError(t, w.Close())
	require.Equal(t, 2, jobs)
	golden.Equal(t, filepath.Join("testdata", "fleet", "jobs.yaml"), out.String())
}

// Every namespace has a Job, after all VMs, unless its VMs need none.
func TestJobsPerNamespace(t *testing.T) {
	other := named(cattleMachine(t), "b", "z")
	other.Part = "site-a-89abcdef"
	var got []string
	for _, r := range collected(t, other,
		named(cattleMachine(t), "b", "y"), named(cattleMachine(t), "a", "x"),
		named(linuxMachine(t), "a", "w"), named(replacedMachine(t), "c", "v"),
	) {
		got = append(got, r.Namespace+"/"+r.Name)
	}
	require.Equal(t, []string{
		"a/w", "c/v", "a/x", "b/y", "b/z",
		"a/site-a-01234567-rollout", "b/site-a-01234567-rollout", "b/site-a-89abcdef-rollout",
	}, got)
}

// rolloutJobOf returns the rollout Job of VMs.
func rolloutJobOf(t *testing.T, machines ...*machine.Machine) *batchv1.Job {
	t.Helper()
	c := NewCollector()
	for _, m := range machines {
		c.Visit(m, new(source.Diagnostics))
	}
	for key, objects := range c.jobs.objects() {
		if key.kind == &rolloutKind {
			return find[*batchv1.Job](t, objects)
		}
	}
	require.Fail(t, "no Job")
	return nil
}

// The Job of a rollout has another name only if the VMs that it rolls out have changed.
// Kubernetes allows no change of a Job, and an equal Job must not run again.
func TestRolloutJobName(t *testing.T) {
	cattle := func() *machine.Machine { return named(cattleMachine(t), "prod", "a") }
	name := rolloutJobOf(t, cattle()).Name
	require.Regexp(t, "^site-a-01234567-rollout-[0-9a-f]{8}$", name)
	annotated := cattle()
	annotated.Annotations = map[string]string{"tier": "edge"}
	require.Equal(t, name, rolloutJobOf(t, annotated, named(linuxMachine(t), "prod", "pet")).Name)

	for what, change := range map[string]func(*machine.Machine){
		"name":     func(m *machine.Machine) { m.Name = "b" },
		"content":  func(m *machine.Machine) { m.Hostname = "other" },
		"deadline": func(m *machine.Machine) { m.Lifecycle.ProgressDeadlineSeconds = 60 },
		"keepOld":  func(m *machine.Machine) { m.Lifecycle.KeepOld++ },
		"image":    func(m *machine.Machine) { m.Target.Image = "registry.example.com/vmrender:2.0" },
	} {
		m := cattle()
		change(m)
		require.NotEqual(t, name, rolloutJobOf(t, m).Name, what)
	}
	require.NotEqual(t, name, rolloutJobOf(t, cattle(), named(cattleMachine(t), "prod", "b")).Name)
}

// A sync waits for all waves except the last one, so the Job of a rollout is in the last.
func TestRolloutJobIsInTheLastWave(t *testing.T) {
	in := func(wave int) *machine.Machine {
		m := named(cattleMachine(t), "prod", "a")
		m.Wave = wave
		for i := range m.Disks {
			m.Disks[i].ExpandTo = ""
		}
		return m
	}
	other := named(linuxMachine(t), "other", "b")
	other.Wave = 4
	for want, machines := range map[int][]*machine.Machine{
		0: {in(-3)}, 2: {in(2)}, 4: {in(2), other},
	} {
		wave, _ := argocd.Wave(rolloutJobOf(t, machines...).Annotations)
		require.Equal(t, want, wave)
	}
	other.Disks[0].ExpandTo = "90Gi"
	require.Equal(t, "5", rolloutJobOf(t, other, in(0)).Annotations[argocd.SyncWaveAnnotation])
}

// Every VM has a policy with only the facts that apply to it.
func TestPolicyOf(t *testing.T) {
	for name, machine := range goldenMachines() {
		m := machine(t)
		p := lifecycle.PolicyOf(m, VM(m))
		require.Equal(t, m.Lifecycle.Strategy, p.Strategy, name)
		for _, on := range lifecycle.Events() {
			require.NotEmpty(t, factsOf(p, on), name)
		}
	}
	texts := func(m *machine.Machine) string {
		var out bytes.Buffer
		for _, f := range lifecycle.PolicyOf(m, VM(m)).Facts {
			out.WriteString(f.Text + "\n")
		}
		return out.String()
	}
	pet := linuxMachine(t)
	require.Contains(t, texts(pet), "until the deletion is confirmed")
	require.NotContains(t, texts(pet), "VirtualMachineSnapshot")
	pet.Target.ArgoCD = "2.13"
	require.Contains(t, texts(pet), "The VirtualMachine stays in the cluster")
	require.NotContains(t, texts(pet), "until the deletion is confirmed")
	require.Contains(t, texts(ansibleMachine(t)), "VirtualMachineSnapshot")
}

func factsOf(p lifecycle.Policy, on lifecycle.Event) []lifecycle.Fact {
	var out []lifecycle.Fact
	for _, f := range p.Facts {
		if f.On == on {
			out = append(out, f)
		}
	}
	return out
}

// The names of Jobs, and of the objects with their permissions, must never change: Argo
// CD would leave the old ones in the cluster. They are deliberately literals.
func TestPinnedJobNames(t *testing.T) {
	pet := ansibleMachine(t)
	require.True(t, pet.Lifecycle.SnapshotBefore)
	var got []string
	for _, r := range collected(t, pet, named(cattleMachine(t), "prod", "b")) {
		if r.Jobs {
			got = append(got, r.Namespace+"/"+r.Name)
		}
	}
	require.Equal(t, []string{"default/site-a-01234567-snapshot", "prod/site-a-01234567-rollout"}, got)
}

// The CronJob of a schedule can do what it does, and nothing else. VMs with another schedule or number to keep have one
// of their own.
func TestSchedules(t *testing.T) {
	scheduled := func(name, text string, keep int) *machine.Machine {
		m := named(linuxMachine(t), "prod", name)
		times, err := schedule.ParseTimes(text)
		require.NoError(t, err)
		m.Lifecycle.Snapshots = &machine.Snapshots{Text: text, Times: times, Keep: keep}
		return m
	}
	c := NewCollector()
	for _, m := range []*machine.Machine{
		scheduled("b", "daily 01:30 UTC", 7), scheduled("a", "30 1 * * * UTC", 7),
		scheduled("c", "daily 01:30 UTC", 8), scheduled("d", "daily 01:30 Europe/Berlin", 7),
	} {
		c.Visit(m, new(source.Diagnostics))
	}
	all := c.jobs.objects()
	require.Len(t, all, 3)
	for key, objects := range all {
		job := find[*batchv1.CronJob](t, objects)
		require.Regexp(t, "^site-a-01234567-[0-9a-f]{8}-snapshot$", job.Name, "as the governance chart allows it")
		if key.recurring.keep != 7 || key.recurring.Zone != "UTC" {
			continue
		}
		require.Equal(t, "30 1 * * *", job.Spec.Schedule)
		require.Equal(t, []string{
			"snapshot", "--scheduled", "--namespace", "prod", "--id", "site-a-01234567", "--keep", "7",
			"--timeout", "1h", "a", "b",
		}, job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args)
		require.Equal(t, []rbacv1.PolicyRule{
			{
				APIGroups: []string{"kubevirt.io"}, Resources: []string{"virtualmachines"},
				ResourceNames: []string{"a", "b"}, Verbs: []string{"get"},
			},
			{
				APIGroups: []string{"snapshot.kubevirt.io"}, Resources: []string{"virtualmachinesnapshots"},
				Verbs: []string{"list", "create", "delete"},
			},
			{
				APIGroups: []string{"snapshot.kubevirt.io"}, Resources: []string{"virtualmachinerestores"},
				Verbs: []string{"list"},
			},
		}, find[*rbacv1.Role](t, objects).Rules)
	}
}

// The policy of ServiceAccounts in the governance chart allows those of all Jobs by default.
func TestGovernanceAllowsJobs(t *testing.T) {
	text, err := os.ReadFile("../../charts/governance/values.yaml")
	require.NoError(t, err)
	var values struct {
		Policies struct {
			ServiceAccounts struct{ Allowed []string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &values))
	for _, kind := range []*jobKind{&rolloutKind, &snapshotKind, &windowKind, &scheduleKind, &powerKind, &patchKind} {
		key := jobKey{kind: kind, namespace: "prod", part: "f"}
		allowed := slices.ContainsFunc(values.Policies.ServiceAccounts.Allowed, func(pattern string) bool {
			ending, isPattern := strings.CutPrefix(pattern, "*")
			return isPattern && strings.HasSuffix(key.name(), ending)
		})
		require.True(t, allowed, key.name())
	}
}

// The CronJobs of power can do what they do, and nothing else. VMs with other times have some of their own.
func TestPower(t *testing.T) {
	powered := func(name, off, on string) *machine.Machine {
		m := named(linuxMachine(t), "prod", name)
		m.Lifecycle.Power = &machine.Power{}
		for text, into := range map[string]**machine.Times{off: &m.Lifecycle.Power.Off, on: &m.Lifecycle.Power.On} {
			if text != "" {
				times, err := schedule.ParseTimes(text)
				require.NoError(t, err)
				*into = &machine.Times{Text: text, Times: times}
			}
		}
		return m
	}
	c := NewCollector()
	for _, m := range []*machine.Machine{
		powered("b", "daily 19:00 UTC", "daily 07:00 UTC"), powered("a", "0 19 * * * UTC", "0 7 * * * UTC"),
		powered("c", "daily 19:00 UTC", ""), powered("d", "", "daily 19:00 UTC"),
	} {
		c.Visit(m, new(source.Diagnostics))
	}
	all := c.jobs.objects()
	require.Len(t, all, 3)
	for key, objects := range all {
		account := find[*corev1.ServiceAccount](t, objects).Name
		require.Regexp(t, "^site-a-01234567-[0-9a-f]{8}-power$", account, "as the governance chart allows it")
		verbs := find[*rbacv1.Role](t, objects).Rules[1]
		require.Equal(t, []string{"subresources.kubevirt.io"}, verbs.APIGroups)
		if key.power.off.Zone == "" || key.power.on.Zone == "" {
			require.Len(t, objects, 4)
			require.Len(t, verbs.Resources, 1)
			continue
		}
		require.Len(t, objects, 5)
		for i, action := range []string{"off", "on"} {
			job := objects[3+i].(*batchv1.CronJob)
			require.Equal(t, account+"-"+action, job.Name)
			require.LessOrEqual(t, len(job.Name), 52, "of a CronJob")
			require.Equal(t, account, job.Spec.JobTemplate.Spec.Template.Spec.ServiceAccountName)
			require.Equal(t, []string{
				"power", action, "--namespace", "prod", "--id", account, "--timeout", "15m", "a", "b",
			}, job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args)
		}
		require.Equal(t, []rbacv1.PolicyRule{
			{
				APIGroups: []string{"kubevirt.io"}, Resources: []string{"virtualmachines", "virtualmachineinstances"},
				ResourceNames: []string{"a", "b"}, Verbs: []string{"get"},
			},
			{
				APIGroups: []string{"subresources.kubevirt.io"}, ResourceNames: []string{"a", "b"},
				Resources: []string{"virtualmachines/stop", "virtualmachines/start"}, Verbs: []string{"update"},
			},
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
			{
				APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
				ResourceNames: []string{account}, Verbs: []string{"get", "update"},
			},
			{
				APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{account},
				Verbs: []string{"get"},
			},
			{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create"}},
		}, find[*rbacv1.Role](t, objects).Rules)
	}
}
