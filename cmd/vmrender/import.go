package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

const importHelp = `Write a fleet of VirtualMachines that exist, in the short forms of the format. It
renders to the same machines: that is tried each time, and what differs is reported
for each. Nothing in the cluster is changed. docs/how-to/adopt.md leads from machines in a
cluster to an Application that is Synced.

The machines come from FILE: manifests as YAML or JSON, Lists, OpenShift Templates and
VirtualMachineTemplates, a backup of Velero (tar.gz), an OCI export of KubeVirt; from a
directory of such; from standard input ("-"); from a Helm chart and its values; or
from the cluster of --kubeconfig or --context. DataVolumes, claims and instances among them tell what machines do not.

With --mapping, what becomes of each machine is written to a file first, to be read and
edited; run the same command again to import as the file says. Machines that another
Application, release or operator manages are refused, with what releases them there.

The fleet is written to the directory of --output-dir; without it, its files are
printed one after the other.

With --merge, machines are taken into a fleet that exists, at a path of it. One without
an entry gets one in the file of its namespace. Of one with an entry, what was changed in
the cluster is changed in its entry, and nowhere else: no defaults, no catalog. The
changes are printed; with --write, the files are changed.`

// importFlags are the flags of import.
type importFlags struct {
	kubeconfig, context string
	namespaces          []string
	params              map[string]string
	chart, values       string
	dir, mapping        string
	failOnDiff          bool
	options             adopt.Options
	merge               mergeFlags
}

func newImportCommand() *cobra.Command {
	f := new(importFlags)
	cmd := &cobra.Command{
		Use:   "import [FILE | DIR | -]...",
		Short: "Write a fleet of VirtualMachines that exist",
		Long:  importHelp,
		Example: `  kubectl get vm,dv,pvc,vmi -n shop -o yaml --show-managed-fields | vmrender import - --output-dir shop
  vmrender import --context prod --namespace shop --mapping map.yaml --output-dir shop
  vmrender import exports/ --output-dir site-a --fail-on-diff
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
		"Helm `chart`, a directory or an archive, whose machines with the values of --values are imported; "+
			"- for what helm get manifest prints")
	flags.StringVar(&f.values, "values", "", "`file` with values of the chart")
	flags.StringVarP(&f.dir, "output-dir", "o", "", "`directory` to write the fleet to")
	flags.StringVar(&f.mapping, "mapping", "",
		"`file` that says what becomes of each machine; it is written if it does not exist")
	flags.BoolVar(&f.failOnDiff, "fail-on-diff", false,
		"exit with status 1 if a machine is refused, or is not rendered as it is")
	flags.StringVar(&f.options.Name, "name", "", "`name` of the fleet (default that of the directory)")
	flags.StringVar(&f.options.Label, "by-label", "",
		"`label` whose values divide the machines of a namespace among files")
	flags.BoolVar(&f.options.Replicas, "replicas", false,
		"fold machines that differ only in the number at the end of their names into one entry")
	flags.BoolVar(&f.options.Unprotected, "no-protection", false,
		"leave out the label by which OpenShift refuses to delete machines")
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
		return fmt.Errorf("%s: the mapping leaves out all machines; expected a line for each to be imported", f.mapping)
	}
	if err := f.write(cmd, result); err != nil {
		return err
	}
	if err := result.Report(cmd.ErrOrStderr()); err != nil {
		return err
	}
	if f.failOnDiff && !result.Exact() {
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
