package impact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
)

// unforeseen lists the refusals that neither a validation nor a plan predicts, with the reasons. Those that depend on a
// race do not count for the share that is foreseen.
var unforeseen = []struct {
	message *regexp.Regexp // of KubeVirt
	why     string
	isRace  bool
}{
	{
		regexp.MustCompile(`preference requirements|not found; does not start`),
		"it depends on the instance types and preferences of the cluster", false,
	},
	{
		regexp.MustCompile(`The volume can only be reverted`),
		"KubeVirt's controllers race, and the judge lets the worse one win; a plan marks its level as approximate", true,
	},
}

// stricter lists what a validation refuses although KubeVirt accepts it, with the reasons.
var stricter = []struct {
	problem *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`volume without a disk of that name`), "KubeVirt adds a disk, which only a VM without any disks means"},
	{regexp.MustCompile(`too little for any guest|0 is not a valid number`), "no guest starts"},
	{regexp.MustCompile(`no memory; expected|only the buses virtio and scsi on arm64`), "KubeVirt accepts the VM, and refuses to start it"},
	{regexp.MustCompile(`invalid strategy, with which KubeVirt fails`), "KubeVirt accepts the VM, and fails at its next change"},
	{regexp.MustCompile(`apiVersion: must not be changed`), "a fleet has one version of the API"},
}

// The share of refusals that is foreseen.
const foreseen = 0.95

// cli builds the program, and returns its path.
func cli(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vmrender")
	build := exec.Command("go", "build", "-o", path, "./cmd/vmrender")
	build.Dir = "../.."
	output, err := build.CombinedOutput()
	require.NoError(t, err, "building vmrender: %s", output)
	return path
}

// written contains the ways to write the new sides of cases in the values of a fleet: as overrides of a VM that the
// program has rendered, as patches of its fields, or as a patch of all of them.
var written = map[string]func(rendered edits.Object, spec any) (key string, value any, err error){
	"overrides": func(rendered edits.Object, spec any) (string, any, error) {
		from, err := json.Marshal(map[string]any{"spec": rendered["spec"]})
		if err != nil {
			return "", nil, err
		}
		to, err := json.Marshal(map[string]any{"spec": spec})
		if err != nil {
			return "", nil, err
		}
		patch, err := jsonpatch.CreateMergePatch(from, to)
		return "overrides", json.RawMessage(patch), err
	},
	"patches": func(rendered edits.Object, spec any) (string, any, error) {
		return "patches", operations(rendered["spec"], spec, "/spec"), nil
	},
	"a patch": func(_ edits.Object, spec any) (string, any, error) {
		return "patches", []any{map[string]any{"op": "replace", "path": "/spec", "value": spec}}, nil
	},
}

// operations returns the JSON patches that change a value at a path into another one, field by field. Lists of different
// lengths are replaced.
func operations(from, to any, path string) []any {
	one := func(op string) []any { return []any{map[string]any{"op": op, "path": path, "value": to}} }
	var all []any
	switch to := to.(type) {
	case map[string]any:
		from, ok := from.(map[string]any)
		if !ok {
			return one("replace")
		}
		for _, key := range slices.Sorted(maps.Keys(merged(from, to))) {
			at := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
			old, hasOld := from[key]
			value, hasNew := to[key]
			switch {
			case !hasNew:
				all = append(all, map[string]any{"op": "remove", "path": at})
			case !hasOld:
				all = append(all, map[string]any{"op": "add", "path": at, "value": value})
			default:
				all = append(all, operations(old, value, at)...)
			}
		}
		return all
	case []any:
		from, ok := from.([]any)
		if !ok || len(from) != len(to) {
			return one("replace")
		}
		for i := range to {
			all = append(all, operations(from[i], to[i], fmt.Sprintf("%s/%d", path, i))...)
		}
		return all
	}
	if reflect.DeepEqual(from, to) {
		return nil
	}
	return one("replace")
}

// merged returns a map with the entries of two maps.
func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// The program foresees what KubeVirt refuses, in validate or in plan, and refuses nothing that KubeVirt accepts: every
// edit is written in a fleet as overrides and as patches.
func TestRefused(t *testing.T) {
	cases, all := verdicts(t)
	program := cli(t)
	for how, write := range written {
		t.Run(how, func(t *testing.T) {
			total, hits := 0, 0
			used := map[int]bool{}
			for i, config := range configs {
				problems := validated(t, program, i, cases, all[i], write)
				for k, c := range cases {
					v := all[i][k]
					switch {
					case v == nil:
					case v.Level() != "refused":
						checkAccepted(t, config.Name+": "+c.String(), problems[k])
					default:
						total++
						if len(problems[k]) > 0 || planRefuses(t, i, c, v) {
							hits++
						} else if checkUnforeseen(t, config.Name+": "+c.String(), v, used) {
							total--
						}
					}
				}
			}
			if *only == "" {
				t.Logf("%d of %d refusals are foreseen", hits, total)
				require.GreaterOrEqual(t, float64(hits)/float64(total), foreseen)
				require.Len(t, used, len(unforeseen), "a refusal that is listed is foreseen by now")
			}
		})
	}
}

// planRefuses reports whether a plan of the two manifests refuses the edit.
func planRefuses(t *testing.T, config int, c trial, v *verdict) bool {
	t.Helper()
	for _, says := range planned(t, settings(configs[config].Config, newest), c, v.live) {
		if says.Level == impact.Refused {
			return true
		}
	}
	return false
}

// checkAccepted fails if there is a problem with a VM that KubeVirt accepts.
func checkAccepted(t *testing.T, name string, problems []string) {
	t.Helper()
	for _, p := range problems {
		known := slices.ContainsFunc(stricter, func(s struct {
			problem *regexp.Regexp
			why     string
		}) bool {
			return s.problem.MatchString(p)
		})
		if !known {
			t.Errorf("%s: KubeVirt accepts it: %s", name, p)
		}
	}
}

// checkUnforeseen fails if a refusal that is not foreseen has no reason, and reports whether it depends on a race.
func checkUnforeseen(t *testing.T, name string, v *verdict, used map[int]bool) (isRace bool) {
	t.Helper()
	for i := range unforeseen {
		if unforeseen[i].message.MatchString(v.String()) {
			used[i] = true
			return unforeseen[i].isRace
		}
	}
	t.Errorf("%s: not foreseen: %s", name, v)
	return false
}

// validated returns the errors of the program in a fleet of the new sides of cases in a cluster, by the case.
func validated(
	t *testing.T, program string, config int, cases []trial, verdicts []*verdict,
	write func(edits.Object, any) (string, any, error),
) map[int][]string {
	t.Helper()
	dir := t.TempDir()
	rendered := template(t, program, config)
	vms := map[string]any{}
	for k, c := range cases {
		if verdicts[k] == nil {
			continue
		}
		key, value, err := write(rendered, c.New["spec"])
		require.NoError(t, err, c)
		vms[vmName(k)] = map[string]any{"os": "rhel9", "cpu": 1, "memory": "2Gi", key: value}
	}
	writeFleet(t, dir, config, vms)
	output, err := exec.Command(program, "validate", dir).CombinedOutput()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v", err)
	problems := map[int][]string{}
	for line := range strings.Lines(string(output)) {
		for k := range cases {
			if strings.Contains(line, " vms."+vmName(k)+".") && !strings.Contains(line, ": warning: ") {
				problems[k] = append(problems[k], strings.TrimSpace(line))
			}
		}
	}
	return problems
}

func vmName(k int) string { return fmt.Sprintf("e%05d", k) }

// template returns the VM that the overrides and patches change.
func template(t *testing.T, program string, config int) edits.Object {
	t.Helper()
	dir := t.TempDir()
	writeFleet(t, dir, config, map[string]any{"it": map[string]any{"os": "rhel9", "cpu": 1, "memory": "2Gi"}})
	output, err := exec.Command(program, "template", "--output", "json", dir).Output()
	require.NoError(t, err)
	var list struct{ Items []edits.Object }
	require.NoError(t, json.Unmarshal(output, &list))
	i := slices.IndexFunc(list.Items, func(o edits.Object) bool { return o["kind"] == "VirtualMachine" })
	return list.Items[i]
}

// writeFleet writes a fleet for a cluster.
func writeFleet(t *testing.T, dir string, config int, vms map[string]any) {
	t.Helper()
	c := settings(configs[config].Config, newest)
	gates := map[string]bool{}
	maps.Copy(gates, c.FeatureGates)
	for name, content := range map[string]map[string]any{
		"fleet.yaml": {
			"apiVersion": "vmrender.io/v1alpha1", "kind": "Fleet", "metadata": map[string]any{"name": "judged"},
			"target": map[string]any{
				"kubevirt": "1.8", "argocd": "3.2", "openshift": false, "featureGates": gates, "vmRolloutStrategy": c.VMRolloutStrategy,
			},
			"catalog":  map[string]any{"images": map[string]any{"rhel": map[string]any{"containerDisk": "registry.example.org/rhel:9"}}},
			"defaults": map[string]any{"namespace": "lab", "disks": map[string]any{"root": map[string]any{"source": map[string]any{"claim": "root"}, "shareable": true}}},
		},
		"vms.yaml": {"vms": vms},
	} {
		text, err := json.Marshal(content)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
}
