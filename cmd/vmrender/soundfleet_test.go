package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1beta1 "kubevirt.io/api/pool/v1beta1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/forklift"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// result is the output of one run of template.
type result struct {
	status         int
	stdout, stderr string
}

// rendering is a fleet rendered on one CPU.
type rendering struct {
	machines []string // as NAMESPACE/NAME, sorted
	objects  []render.Rendered
	problems *source.Diagnostics
}

// renderArgs renders the fleet in the working directory.
func renderArgs(args []string) (rendering, error) {
	opts, err := optionsOf(args)
	if err != nil {
		return rendering{}, err
	}
	opts.Jobs, opts.Workers = 1, nil
	var r rendering
	c := render.NewCollector()
	_, r.problems = inventory.Visit(".", opts, func(m *machine.Machine, d *source.Diagnostics) {
		c.Visit(m, d)
		r.machines = append(r.machines, m.Namespace+"/"+m.Name)
	})
	r.objects = c.Rendered(r.problems)
	slices.Sort(r.machines)
	return r, nil
}

// template returns the output of the template command.
func (r rendering) template(format manifest.Format) (result, error) {
	var stdout, stderr bytes.Buffer
	err := problems.Report(&stderr, r.problems)
	if err == nil {
		err = output.Machines(&stdout, format, r.objects)
	}
	if errors.Is(err, problems.ErrReported) {
		return result{statusInvalid, "", stderr.String()}, nil
	}
	return result{statusOK, stdout.String(), stderr.String()}, err
}

// checkFleet checks all promises on the fleet in the working directory and reports
// whether it is valid. An error starts with the broken promise and a colon.
func checkFleet(args []string) (valid bool, err error) {
	r, err := renderArgs(args)
	if err != nil {
		return false, err
	}
	want, err := r.template(manifest.JSON)
	if err != nil {
		return false, err
	}
	if got := templateParallel(args); got != want {
		return false, fmt.Errorf("not deterministic: %v\n%v", want, got)
	}
	valid = want.status == statusOK
	return valid, cmp.Or(r.checkProblems(want.stderr), r.checkManifests(want.stdout), r.checkReports(args))
}

// templateParallel runs the template command on several CPUs.
func templateParallel(args []string) result {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	status, stdout, stderr := run(append([]string{"template", "-o", "json"}, args...)...)
	return result{status, stdout, stderr}
}

// checkProblems checks the problems and their output.
func (r rendering) checkProblems(stderr string) error {
	if strings.Contains(stderr, fleetgen.Secret) {
		return errors.New("secret in a message: " + stderr)
	}
	for _, d := range r.problems.Sorted() {
		if err := checkProblem(d); err != nil {
			return fmt.Errorf("%w: %s", err, d)
		}
	}
	return nil
}

// options are the names of options. In the position of a problem, an option with its
// value takes the place of a file.
var options = []string{"--set", "--default", "--namespace"}

// wholeFile is the rules of problems that concern a whole file.
var wholeFile = []rule.ID{rule.EmptyFile, rule.FileSize, rule.NoVMs}

// checkProblem checks that a problem is one line, at a position that exists.
func checkProblem(p source.Diagnostic) error {
	switch {
	case p.Message == "", strings.Contains(p.Message, "\n"), !utf8.ValidString(p.Message):
		return errors.New("not one line of text")
	case p.Rule == "":
		return errors.New("no rule")
	case slices.Contains(options, p.File):
		return nil
	case p.Line == 0 && slices.Contains(wholeFile, p.Rule):
		return nil
	}
	text, err := os.ReadFile(p.File)
	lines := strings.Split(string(text), "\n")
	if err != nil || p.Line < 1 || p.Line > len(lines) {
		return errors.New("no such position")
	}
	if p.Col < 1 || p.Col > utf8.RuneCountInString(lines[p.Line-1])+1 {
		return errors.New("no such column")
	}
	return nil
}

// checkManifests checks the manifests of a valid fleet.
func (r rendering) checkManifests(asJSON string) error {
	if r.problems.HasErrors() {
		return nil
	}
	asYAML, err := r.template(manifest.YAML)
	if err != nil {
		return err
	}
	objects, err := manifest.Read(strings.NewReader(asJSON))
	if err != nil {
		return fmt.Errorf("JSON cannot be read: %w", err)
	}
	same, err := manifest.Read(strings.NewReader(asYAML.stdout))
	if err != nil {
		return fmt.Errorf("YAML cannot be read: %w", err)
	}
	if !reflect.DeepEqual(objects, same) {
		return fmt.Errorf("YAML and JSON differ: %s\n%s", asYAML.stdout, asJSON)
	}
	if err := r.checkNamespaces(); err != nil {
		return err
	}
	seen := map[manifest.ID]bool{}
	for _, o := range objects {
		id := o.ID
		id.APIVersion = o.Group()
		if seen[id] {
			return fmt.Errorf("object is there twice: %s", id)
		}
		seen[id] = true
		if err := cmp.Or(checkYAML(o), checkObject(o)); err != nil {
			return fmt.Errorf("%w\n%s", err, o.JSON)
		}
	}
	return nil
}

// checkYAML checks that another parser reads the same object from the YAML as from the
// JSON.
func checkYAML(o manifest.Object) error {
	var fromJSON, fromYAML any
	text := manifest.AppendYAML(nil, o.JSON)
	if err := errors.Join(json.Unmarshal(o.JSON, &fromJSON), yaml.UnmarshalStrict(text, &fromYAML)); err != nil {
		return fmt.Errorf("not parsed: %w", err)
	}
	if !reflect.DeepEqual(fromJSON, fromYAML) {
		return fmt.Errorf("parsed differently: %s", text)
	}
	return nil
}

// types are the kinds that a fleet renders. Kinds without a Go type to decode into, and
// the user's own, are maps.
var types = map[string]func() any{
	"VirtualMachine":        func() any { return new(kubevirtv1.VirtualMachine) },
	"VirtualMachinePool":    func() any { return new(poolv1beta1.VirtualMachinePool) },
	"DataVolume":            func() any { return new(cdiv1beta1.DataVolume) },
	"PersistentVolumeClaim": func() any { return new(corev1.PersistentVolumeClaim) },
	"Secret":                func() any { return new(corev1.Secret) },
	"Service":               func() any { return new(corev1.Service) },
	"ServiceAccount":        func() any { return new(corev1.ServiceAccount) },
	"Role":                  func() any { return new(rbacv1.Role) },
	"RoleBinding":           func() any { return new(rbacv1.RoleBinding) },
	"Job":                   func() any { return new(batchv1.Job) },
	"AnsibleJob":            func() any { return new(map[string]any) },
	"NetworkMap":            func() any { return new(forklift.NetworkMap) },
	"StorageMap":            func() any { return new(forklift.StorageMap) },
	"Hook":                  func() any { return new(forklift.Hook) },
	"Plan":                  func() any { return new(forklift.Plan) },
	"Migration":             func() any { return new(forklift.PlanRun) },
	// From the VM's `objects`.
	"ConfigMap":      func() any { return new(corev1.ConfigMap) },
	"NetworkPolicy":  func() any { return new(networkingv1.NetworkPolicy) },
	"ExternalSecret": func() any { return new(map[string]any) },
	"CronJob":        func() any { return new(batchv1.CronJob) },
	"Pod":            func() any { return new(corev1.Pod) },
	"Deployment":     func() any { return new(map[string]any) },
}

// checkObject checks that an object has only fields of its type, and metadata that an API
// server accepts.
func checkObject(o manifest.Object) error {
	typed := types[o.Kind]
	if typed == nil {
		return fmt.Errorf("unexpected kind: %s", o.ID)
	}
	into := json.NewDecoder(bytes.NewReader(o.JSON))
	into.DisallowUnknownFields()
	if err := into.Decode(typed()); err != nil {
		return fmt.Errorf("not of its type: %s: %w", o.ID, err)
	}
	var m metav1.PartialObjectMetadata
	if err := json.Unmarshal(o.JSON, &m); err != nil {
		return fmt.Errorf("no metadata: %w", err)
	}
	name := metavalidation.NameIsDNSSubdomain
	if o.Kind == "Service" {
		name = metavalidation.NameIsDNS1035Label
	}
	if errs := metavalidation.ValidateObjectMeta(&m.ObjectMeta, true, name, field.NewPath("metadata")); len(errs) > 0 {
		return fmt.Errorf("invalid metadata: %s: %w", o.ID, errs.ToAggregate())
	}
	return checkAnnounced(o)
}

// checkReports checks that explain and images describe the fleet without secrets and do
// not fail if it is valid.
func (r rendering) checkReports(args []string) error {
	calls := [][]string{{"images", "-o", "json"}}
	if n := len(r.machines); n > 0 {
		one := r.machines[n/2]
		calls = append(calls, []string{"explain", one}, []string{"explain", one, "lifecycle"})
	}
	for _, call := range calls {
		status, stdout, stderr := run(append(call, args...)...)
		if strings.Contains(stdout+stderr, fleetgen.Secret) {
			return fmt.Errorf("secret in %s: %s%s", call[0], stdout, stderr)
		}
		if !r.problems.HasErrors() && status != statusOK {
			return fmt.Errorf("%s fails: %q: %s", call[0], call, stderr)
		}
	}
	return nil
}

// checkNamespaces checks that the objects of each VM are in its namespace.
func (r rendering) checkNamespaces() error {
	for _, one := range r.objects {
		var text bytes.Buffer
		if err := output.Machines(&text, manifest.JSON, []render.Rendered{one}); err != nil {
			return err
		}
		objects, err := manifest.Read(&text)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if o.Namespace != one.Namespace {
				return fmt.Errorf("wrong namespace: %s of %s/%s", o.ID, one.Namespace, one.Name)
			}
		}
	}
	return nil
}

// optionsOf returns the options of a fleet that the arguments set.
func optionsOf(args []string) (opts fleet.Options, err error) {
	cmd := newValidateCommand()
	flags := new(fleetFlags)
	cmd.ResetFlags()
	flags.register(cmd)
	err = cmd.ParseFlags(args)
	return flags.options(cmd, nil), err
}
