package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/cli"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/images"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/source"
)

const imagesHelp = `List the images of the disks in the fleet, directory or file at PATH, which
defaults to the working directory. Each image is listed with its version, the
number of VMs that use it, and the position that sets it.

With --from or --kubeconfig, compare the images with the DataSources and
DataImportCrons of a cluster. --from reads them from a file of manifests, or from
standard input if it is "-". Each image then has a status: current, behind,
unversioned (no version is set, so nothing is rolled out) or unknown (the cluster
has no version).

With --write, update the versions that are behind in the files that set them. With
--check, exit with status 1 if an image is behind.`

func newImagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Annotations: findings,
		Use:         "images [PATH]",
		Short:       "List the images of a fleet, and which are behind",
		Long:        imagesHelp,
		Example: `  vmrender images site-a
  kubectl get datasources,dataimportcrons -A -o yaml | vmrender images site-a --from - --write`,
	}
	flags := new(fleetFlags)
	flags.register(cmd)
	cluster := new(imageCluster)
	cluster.register(cmd)
	var write, check bool
	cmd.Flags().BoolVar(&write, "write", false, "update the versions that are behind in the files of the fleet")
	cmd.Flags().BoolVar(&check, "check", false, "exit with status 1 if an image is behind")
	form := cli.Output(cmd, forms())
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := cluster.check(write || check, pathArg(args)); err != nil {
			return err
		}
		return argsBetween(0, 1)(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		found, diags := fleet.Sources(pathArg(args), flags.options(cmd, nil))
		if err := problems.Report(cmd.ErrOrStderr(), diags); err != nil {
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
		err := form.Value.print(cmd.OutOrStdout(), images.Rows(list), func(w io.Writer) error {
			return writeImages(w, list, cluster.given())
		})
		if err != nil || !check {
			return err
		}
		if n := images.CountBehind(list); n > 0 {
			cmd.PrintErrf("%s behind\n", problems.Count(n, "image"))
			return errFinding
		}
		return nil
	}
	return cmd
}

// updateImages updates the files and reports each that it wrote.
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
	return problems.Report(stderr, diags)
}

func writeImages(w io.Writer, list []images.Image, compared bool) error {
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
	return cli.WriteTable(w, header, table)
}
