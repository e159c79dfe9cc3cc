package impact_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/test/impact/judge"
	"github.com/vmrender/vmrender/test/impact/judge/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
	"github.com/vmrender/vmrender/test/impact/judge/trials"
)

// unjudged lists the rules that KubeVirt v1.8.4 on a cluster in memory cannot confirm, with the reasons.
var unjudged = map[string]string{
	"guest-above-limit":            "it is for clusters with the strategy Stage, and among the edits",
	"tolerations":                  "the API server checks the pod",
	"node-selector":                "the API server checks the pod",
	"labels":                       "the API server checks it",
	"one-binding":                  "KubeVirt 1.9 checks it",
	"pod-labels":                   "the API server checks it",
	"gate-ContainerPathVolumes":    "KubeVirt's controller reports it, and creates no pod",
	"update-volumes-strategy":      "it fails later, at a change of the VM, and is among the edits",
	"no-preferred-memory":          "it depends on the preference",
	"inferred-instancetype":        "the mutating webhook looks the volume up",
	"inferred-preference":          "the mutating webhook looks the volume up",
	"gate-HostDevices":             "the gate is on in every cluster of the tests",
	"gate-PersistentReservation":   "the gate is on in every cluster of the tests",
	"gate-GPUsWithDRA":             "KubeVirt also refuses the claim",
	"gate-HostDevicesWithDRA":      "KubeVirt also refuses the claim",
	"gate-ReservedOverheadMemlock": "the definition of the VM does not have the field without the gate",
}

// KubeVirt refuses every VM that breaks a rule of pkg/admission, when it is written or, as the rule says, when it starts.
func TestAdmissionRules(t *testing.T) {
	const dir = "../../pkg/admission/testdata/"
	var base edits.Object
	text, err := os.ReadFile(dir + "vm.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &base))
	rules := map[string]admission.Rule{}
	for _, r := range admission.Rules() {
		rules[r.ID] = r
	}
	table, err := os.ReadFile(dir + "broken.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(table)) {
		name, change, ok := strings.Cut(strings.TrimSpace(line), " | ")
		isBound := strings.HasPrefix(name, "bound-") // the pod, its claim or QEMU waits or fails
		if !ok || isBound || unjudged[name] != "" {
			continue
		}
		changed, err := edits.Apply(base, change)
		require.NoError(t, err, line)
		c := trial{Edit: trials.Stopped(edits.Edit{Base: name, Text: change, Old: base, New: changed})}
		if strings.Contains(change, "spec.run") {
			c.New = changed
		}
		v, err := judgedPlain(c)
		require.NoError(t, err, name)
		isRefused := v.Refused != "" || rules[name].Starts && v.Unstartable != ""
		assert.True(t, isRefused, "%s: KubeVirt accepts it: %s", name, v)
	}
}

// judgedPlain returns the verdict on a case in a cluster without feature gates.
func judgedPlain(c trial) (v *verdict, err error) {
	err = judges.Ask(0, func(j *judge.Judge) error {
		v, err = judgeOne(j, c)
		return err
	})
	return v, err
}

// A CD is put into an ejected drive while the VM runs, if the cluster plugs volumes as declared.
func TestFillsEjectedDrive(t *testing.T) {
	bases, err := edits.Bases()
	require.NoError(t, err)
	full := bases["cdrom"]
	for _, volume := range []string{
		"persistentVolumeClaim: {claimName: disc-a, hotpluggable: true}", "dataVolume: {name: disc-b, hotpluggable: true}",
	} {
		empty, err := edits.Apply(full, "~.volumes[disc] -")
		require.NoError(t, err)
		filled, err := edits.Apply(empty, "~.volumes[+] = {name: disc, "+volume+"}")
		require.NoError(t, err)
		for i, config := range configs {
			if !slices.Contains(config.Gates, cluster.DeclarativeHotplug) || slices.Contains(config.Gates, cluster.ImperativeHotplug) {
				continue
			}
			c := trial{Edit: edits.Edit{Base: "cdrom", Text: volume, Old: empty, New: filled}, Running: true}
			var v *verdict
			require.NoError(t, judges.Ask(i, func(j *judge.Judge) (err error) {
				v, err = judgeOne(j, c)
				return err
			}), config.Name)
			for how, says := range planned(t, settings(config.Config, newest), c, v.live) {
				require.Equal(t, level(t, v.String()), noticed(says.Level), "%s: %s: %s: %s", config.Name, how, described(says), v)
				require.NotEqual(t, impact.Refused, says.Level)
			}
		}
	}
}
