package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

const importHelp = `Write existing VirtualMachines as a fleet, in the short forms of the values format.
The command renders the fleet again and compares it with each VM, and reports the
differences. It changes nothing in the cluster. docs/how-to/adopt.md describes the steps
from VMs in a cluster to an Application that is Synced.

The VMs come from one of these inputs:

- FILE: manifests as YAML or JSON, Lists, OpenShift Templates and
  VirtualMachineTemplates, a backup of Velero (tar.gz), or an OCI export of KubeVirt
- FILE of Terraform or OpenTofu: a state or a plan that "terraform show -json" prints, or
  terraform.tfstate
- DIR: a directory of manifests
- standard input ("-")
- a Helm chart and its values (--from-chart)
- the cluster of --kubeconfig or --context

DataVolumes, PVCs and instances in the input add facts that the VMs do not contain.

The exit status is 1 if a VM is rejected, or a part of the input cannot be read: the
others are imported.

With --mapping, the planned import of each VM is first written to a file, which you
can edit. Run the same command again to import as the file specifies. VMs that another
Application, release or operator manages are rejected, with the steps to release them.

The fleet is written to the directory of --output-dir. Without this flag, its files are
printed one after the other.

With --merge, the VMs are added to an existing fleet, at a path in it. A VM without an
entry gets one in the file of its namespace. For a VM with an entry, changes in the
cluster are written to its entry only, not to defaults or the catalog. The changes are
printed; with --write, the files are changed.`

// importFlags are the flags of import.
type importFlags struct {
	kubeconfig, context string
	namespaces          []string
	params              map[string]string
	chart, values       string
	dir, mapping        string
	failOnDiff          bool
	incomplete          bool // parts of the input were left out
	options             adopt.Options
	origins             map[string]adopt.Origin // of VMs that Terraform manages, by NAMESPACE/NAME
	merge               mergeFlags
}

func newImportCommand() *cobra.Command {
	f := new(importFlags)
	cmd := &cobra.Command{
		Use:   "import [FILE | DIR | -]...",
		Short: "Write existing VirtualMachines as a fleet",
		Long:  importHelp,
		Example: `  kubectl get vm,dv,pvc,vmi -n shop -o yaml --show-managed-fields | vmrender import - --output-dir shop
  vmrender import --context prod --namespace shop --mapping map.yaml --output-dir shop
  vmrender import exports/ --output-dir site-a --fail-on-diff
  terraform show -json | vmrender import - --output-dir shop
  vmrender import --from-chart edge-gitops-vms --values values.yaml -n edge -o edge
  vmrender import --context prod --namespace shop --merge site-a/shop --write`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE:              f.run,
	}
	f.register(cmd)
	return cmd
}

func (f *importFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	kubeconfigFlag(cmd, &f.kubeconfig)
	flags.StringVar(&f.context, "context", "", "`name` of a context of the kubeconfig")
	flags.StringArrayVarP(&f.namespaces, "namespace", "n", nil,
		"`namespace` to read from the cluster (repeatable; default all), or of manifests that have none")
	flags.StringToStringVar(&f.params, "param", nil, "parameter of templates, as `NAME=VALUE` (repeatable)")
	flags.StringVar(&f.chart, "from-chart", "",
		"Helm `chart` to import VMs from, a directory or an archive, rendered with --values; "+
			"- for the output of helm get manifest")
	flags.StringVar(&f.values, "values", "", "`file` with values of the chart")
	flags.StringVarP(&f.dir, "output-dir", "o", "", "`directory` to write the fleet to")
	flags.StringVar(&f.mapping, "mapping", "",
		"`file` with the planned import of each VM; it is written if it does not exist")
	flags.BoolVar(&f.failOnDiff, "fail-on-diff", false,
		"exit with status 1 also if a VM is rendered differently")
	flags.StringVar(&f.options.Name, "name", "", "`name` of the fleet (default that of the directory)")
	flags.StringVar(&f.options.Label, "by-label", "",
		"`label` whose values divide the VMs of a namespace among files")
	flags.BoolVar(&f.options.Replicas, "replicas", false,
		"write VMs that differ only in the number at the end of their names as one entry")
	flags.BoolVar(&f.options.Unprotected, "no-protection", false,
		"omit the label with which OpenShift rejects the deletion of VMs")
	f.merge.register(cmd)
	for _, name := range []string{"context", "namespace", "param", "name", "by-label"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
}

func (f *importFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.merge.check(cmd); err != nil {
		return err
	}
	objects, err := f.read(cmd, args)
	if err != nil {
		return err
	}
	makeRoomFor(objects)
	if len(adopt.Names(objects, f.options)) == 0 {
		return errors.New("no VirtualMachine to import; expected what `kubectl get vm,dv,pvc,vmi -o yaml` prints")
	}
	if done, err := f.readMapping(cmd, objects); done || err != nil {
		return err
	}
	if f.merge.into != "" {
		return f.mergeInto(cmd, objects)
	}
	result, err := adopt.Import(objects, f.options)
	if err != nil {
		return err
	}
	if len(result.Machines) == 0 {
		return fmt.Errorf("%s: the mapping omits all VMs; expected a line for each to be imported", f.mapping)
	}
	adopt.NoteOrigins(result.Machines, f.origins)
	if err := f.write(cmd, result); err != nil {
		return err
	}
	if err := result.Report(visible{cmd.ErrOrStderr()}); err != nil {
		return err
	}
	return f.judge(result, f.failOnDiff && !result.Exact())
}

// makeRoomFor prepares the process for an import, which keeps of each VM its types, its tree and what its entry renders
// to.
func makeRoomFor(objects []manifest.Object) {
	const forms = 3
	n := 0
	for i := range objects {
		n += len(objects[i].JSON)
	}
	process.Room(forms * n)
}

// judge returns an error if something was not taken over, or differs and must not.
func (f *importFlags) judge(result interface{ Refused() bool }, differs bool) error {
	if f.incomplete || differs || result.Refused() {
		return problems.ErrReported
	}
	return nil
}

// readMapping reads the mapping, or writes it if there is none: then the import is done.
func (f *importFlags) readMapping(cmd *cobra.Command, objects []manifest.Object) (done bool, err error) {
	if f.mapping == "" {
		return false, nil
	}
	text, err := os.ReadFile(f.mapping)
	if errors.Is(err, fs.ErrNotExist) {
		if f.merge.into != "" {
			return false, fmt.Errorf("%s: does not exist; write it by an import without --merge", f.mapping)
		}
		return true, f.writeMapping(cmd, objects)
	}
	if err != nil {
		return false, err
	}
	mapping, diags := adopt.ReadMapping(f.mapping, text, adopt.Names(objects, f.options))
	f.options.Mapping = mapping
	return false, problems.Report(cmd.ErrOrStderr(), diags)
}

func (f *importFlags) writeMapping(cmd *cobra.Command, objects []manifest.Object) error {
	result, err := adopt.Import(objects, f.options)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.mapping, result.Mapping(), 0o644); err != nil { //nolint:gosec // no secrets are in it
		return err
	}
	cmd.PrintErrf("wrote %s; edit it, and run the command again\n", f.mapping)
	return nil
}

// write writes the fleet to the directory, or to stdout.
func (f *importFlags) write(cmd *cobra.Command, result *adopt.Result) error {
	if f.dir == "" || len(result.Files) == 0 {
		return result.Write(cmd.OutOrStdout())
	}
	return result.Save(f.dir)
}

// visible writes reports as [problems.VisibleLines] has them: the names of objects can contain anything.
type visible struct{ io.Writer }

func (v visible) Write(report []byte) (int, error) {
	if _, err := io.WriteString(v.Writer, problems.VisibleLines(string(report))); err != nil {
		return 0, err
	}
	return len(report), nil
}
