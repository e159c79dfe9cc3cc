package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/images"
	"github.com/vmrender/vmrender/pkg/rollout"
)

// imageCluster is the source of a cluster's versions: a file or a kubeconfig.
type imageCluster struct{ from, kubeconfig string }

func (c *imageCluster) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.from, "from", "", "`file` with a cluster's DataSources and DataImportCrons")
	kubeconfigFlag(cmd, &c.kubeconfig)
}

func (c *imageCluster) given() bool { return c.from != "" || c.kubeconfig != "" }

// check returns an error if the flags, and the path of the fleet, do not fit together.
func (c *imageCluster) check(needed bool, path string) error {
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

// compare sets the status of the images if a cluster was given.
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
		return fmt.Errorf("%s: no DataSource and no DataImportCron; "+
			"expected what `kubectl get datasources,dataimportcrons -A -o yaml` prints", c.from)
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

// query reads the manifests of the namespaces from the cluster.
func (c *imageCluster) query(ctx context.Context, namespaces []string) ([]byte, error) {
	cluster, err := rollout.Connect(c.kubeconfig)
	if err != nil {
		return nil, err
	}
	return cluster.Images(ctx, namespaces)
}
