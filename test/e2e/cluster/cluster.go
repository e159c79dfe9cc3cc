// Package cluster runs a Kubernetes control plane, with the definitions and the
// admission code of KubeVirt and CDI, and talks to it. It has no nodes: objects
// are stored, defaulted, validated and garbage-collected, but nothing runs.
package cluster

import (
	"context"
	"crypto/x509/pkix"
	"net/http"

	"github.com/vmrender/vmrender/test/e2e/pki"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// Cluster is a running control plane.
type Cluster struct {
	*Client
	// Kubeconfig is the path of an administrator's kubeconfig.
	Kubeconfig string

	dir         string
	host        string   // address of all servers
	environment []string // of etcd and the API server, in addition to that of the tests
	described   bool     // whether definitions keep their descriptions
	programs    map[string]string
	authority   *pki.Authority
	running     []*process.Running
	proxy       *http.Server // if the cluster reports another version
}

// Start starts the control plane with the programs that package build has
// built, and keeps its files in dir. It includes KubeVirt and CDI.
func Start(ctx context.Context, dir string, programs map[string]string) (*Cluster, error) {
	c, err := StartEmpty(ctx, dir, programs)
	if err != nil {
		return nil, err
	}
	if err := c.Admit(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// StartEmpty starts the control plane as [Start] does, with nothing on it.
func StartEmpty(ctx context.Context, dir string, programs map[string]string) (*Cluster, error) {
	c := &Cluster{dir: dir, host: localhost, programs: programs}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// StartAt starts the control plane as [Start] does, with all servers on another address of the loopback device, so that
// there can be several. Its etcd and API server manage memory as they do elsewhere, and its definitions are whole, so
// that the cost of clients and servers can be measured.
func StartAt(ctx context.Context, host, dir string, programs map[string]string) (*Cluster, error) {
	c := &Cluster{dir: dir, host: host, environment: process.Unlimited, described: true, programs: programs}
	err := c.start(ctx)
	if err == nil {
		err = c.Admit(ctx)
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.authority, err = pki.New(c.dir, c.host); err != nil {
		return err
	}
	admin, err := c.authority.Issue("admin", pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}})
	if err != nil {
		return err
	}
	if c.Client, err = newClient(c.URL(), c.authority.PEM, admin); err != nil {
		return err
	}
	if c.Kubeconfig, err = c.writeKubeconfig(c.dir); err != nil {
		return err
	}
	servers, err := c.controlPlane()
	if err != nil {
		return err
	}
	return c.run(ctx, servers...)
}

// run starts servers one after the other.
func (c *Cluster) run(ctx context.Context, servers ...process.Server) error {
	for _, s := range servers {
		running, err := process.Start(ctx, c.dir, s)
		if err != nil {
			return err
		}
		c.running = append(c.running, running)
	}
	return nil
}

// Stop ends all servers, in the reverse order of their start.
func (c *Cluster) Stop() {
	if c.proxy != nil {
		_ = c.proxy.Close() //nolint:errcheck // no client is left
	}
	for i := len(c.running) - 1; i >= 0; i-- {
		c.running[i].Stop()
	}
}

// Certificate issues a certificate for a server on the address of the cluster.
func (c *Cluster) Certificate(name string) (pki.Pair, error) {
	return c.authority.Issue(name, pkix.Name{CommonName: name})
}

// Servers returns the running servers, for their logs.
func (c *Cluster) Servers() []*process.Running { return c.running }
