package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/images"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/rollout"
	"github.com/vmrender/vmrender/pkg/source"
)

func newImagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images [PATH]",
		Short: "List the images of a fleet, and which are behind",
		Long: `List the images that the disks of the fleet, directory or file at PATH (the
working directory by default) come from: each with its version, how many VMs use
it, and where that is written.

With the DataSources and DataImportCrons of a cluster, from a file of manifests
(--from, "-" for standard input) or read with a kubeconfig, each image gets a
status: current, behind, unversioned (nothing says a version, so that nothing
rolls out) or unknown (the cluster does not say).

With --write the versions that are behind are set to the cluster's, in the files
where they stand and nowhere else. With --check the exit status is 1 when an image
is behind.`,
		Example: `  vmrender images site-a
  kubectl get datasources,dataimportcrons -A -o yaml | vmrender images site-a --from - --write`,
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	cluster := new(imageCluster)
	cluster.register(cmd)
	var write, check bool
	cmd.Flags().BoolVar(&write, "write", false, "set the versions that are behind in the files of the fleet")
	cmd.Flags().BoolVar(&check, "check", false, "exit with status 1 when an image is behind")
	output := outputFlag(cmd, "text", "json")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := cluster.problem(write || check, pathArg(args)); err != nil {
			return err
		}
		return argsBetween(0, 1)(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		found, diags := fleet.Sources(pathArg(args), flags.options(cmd, nil))
		if err := complain(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
		list := images.List(found)
		if err := cluster.compare(cmd, list); err != nil {
			return err
		}
		if write {
			if err := updateImages(cmd.ErrOrStderr(), list); err != nil {
				return err
			}
		}
		if err := writeImages(cmd.OutOrStdout(), output.value, list, cluster.given()); err != nil {
			return err
		}
		return checked(cmd.ErrOrStderr(), list, check)
	}
	return cmd
}

// imageCluster is where the versions of a cluster come from.
type imageCluster struct{ from, kubeconfig string }

func (c *imageCluster) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.from, "from", "", "`file` with a cluster's DataSources and DataImportCrons")
	kubeconfigFlag(cmd, &c.kubeconfig)
}

func (c *imageCluster) given() bool { return c.from != "" || c.kubeconfig != "" }

// problem is what is wrong with how the verb was called.
func (c *imageCluster) problem(needed bool, path string) error {
	switch {
	case c.from != "" && c.kubeconfig != "":
		return errors.New("--from and --kubeconfig both name a cluster; use one of them")
	case needed && !c.given():
		return errors.New("--write and --check compare with a cluster; use --from FILE or --kubeconfig FILE")
	case path == "-" && (c.from == "-" || needed):
		return errors.New("a fleet on standard input can only be listed")
	}
	return nil
}

// compare sets the status of the images where a cluster was given.
func (c *imageCluster) compare(cmd *cobra.Command, list []images.Image) error {
	if !c.given() {
		return nil
	}
	text, err := c.read(cmd, list)
	if err != nil {
		return err
	}
	versions, err := images.ReadVersions(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.from+c.kubeconfig, err)
	}
	if c.from != "" && versions.Empty() {
		return fmt.Errorf("%s: no DataSource and no DataImportCron; expected what `kubectl get datasources,dataimportcrons -A -o yaml` prints", c.from)
	}
	versions.Compare(list)
	return nil
}

func (c *imageCluster) read(cmd *cobra.Command, list []images.Image) ([]byte, error) {
	switch {
	case c.kubeconfig != "":
		return c.query(cmd.Context(), images.Namespaces(list))
	case c.from == "-":
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(c.from)
}

// query reads the manifests of the namespaces from the cluster itself.
func (c *imageCluster) query(ctx context.Context, namespaces []string) ([]byte, error) {
	cluster, err := rollout.Connect(c.kubeconfig)
	if err != nil {
		return nil, err
	}
	return cluster.Images(ctx, namespaces)
}

// updateImages writes the files, and tells which.
func updateImages(stderr io.Writer, list []images.Image) error {
	diags := new(source.Diagnostics)
	files, err := images.Update(list, diags)
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := fmt.Fprintf(stderr, "wrote %s\n", file); err != nil {
			return err
		}
	}
	return complain(stderr, diags)
}

// checked fails where an image is still behind.
func checked(stderr io.Writer, list []images.Image, check bool) error {
	behind := 0
	for _, i := range list {
		if i.Status == images.Behind {
			behind++
		}
	}
	if !check || behind == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(stderr, "%s behind\n", report.Count(behind, "image")); err != nil {
		return err
	}
	return errReported
}

// imageRow is one row of the JSON form.
type imageRow struct {
	Kind    string `json:"kind"`
	Source  string `json:"source"`
	Version string `json:"version,omitempty"`
	Current string `json:"current,omitempty"`
	Status  string `json:"status,omitempty"`
	VMs     int    `json:"vms"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

func writeImages(w io.Writer, format string, list []images.Image, compared bool) error {
	if format == "json" {
		rows := make([]imageRow, 0, len(list))
		for _, i := range list {
			rows = append(rows, imageRow{i.Kind, i.Masked(), i.Version, i.Current, string(i.Status), i.VMs, i.Pos.File, i.Pos.Line, i.Pos.Col})
		}
		return report.Indented(w, rows)
	}
	header := []string{"IMAGE", "VERSION", "VMS", "ORIGIN"}
	if compared {
		header = []string{"IMAGE", "VERSION", "CURRENT", "STATUS", "VMS", "ORIGIN"}
	}
	table := make([][]string, 0, len(list))
	for _, i := range list {
		row := []string{i.Kind + " " + i.Masked(), i.Version}
		if compared {
			row = append(row, i.Current, string(i.Status))
		}
		table = append(table, append(row, strconv.Itoa(i.VMs), i.Pos.String()))
	}
	return writeTable(w, header, table)
}
