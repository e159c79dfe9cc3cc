// Package argo runs Argo CD's own servers, with the plugin as their sidecar, and
// Applications on them.
package argo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/build"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// Installation describes an Argo CD installation.
type Installation struct {
	Namespace   string            // of Argo CD and its Applications
	Dir         string            // for the files of its servers
	Root        string            // of the repository whose plugin it uses
	Definitions string            // directory with its CustomResourceDefinitions
	Programs    map[string]string // by name
	Limit       time.Duration     // of a sync
	// Account is the service account that the application controller acts as. With the certificate of the cluster's
	// administrator, which it has without one, no policy applies to it.
	Account string
	// Controllers is the number of application controllers, which share the clusters; 0 is one.
	Controllers int
	// Unlimited servers manage memory as they do elsewhere, so that their cost can be measured.
	Unlimited bool
}

// Argo is a running Argo CD.
type Argo struct {
	cluster   *cluster.Cluster
	namespace string
	dir       string
	root      string // of the repository
	programs  map[string]string
	limit     time.Duration // of a sync
	account   string        // of the application controller; empty for the administrator
	shards    int           // application controllers
	unlimited bool          // as of the Installation
	running   []*process.Running
}

// Start installs Argo CD on the cluster and starts Redis, the repo-server, its sidecar with
// the plugin, and the application controller.
func Start(ctx context.Context, c *cluster.Cluster, i Installation) (*Argo, error) {
	a := &Argo{
		cluster: c, namespace: i.Namespace, dir: i.Dir, root: i.Root, programs: i.Programs, limit: i.Limit, account: i.Account,
		shards: max(1, i.Controllers), unlimited: i.Unlimited,
	}
	err := a.start(ctx, i.Definitions)
	if err != nil {
		a.Stop()
		return nil, err
	}
	return a, nil
}

func (a *Argo) start(ctx context.Context, definitions string) error {
	if err := a.install(ctx, definitions); err != nil {
		return err
	}
	if err := a.prepare(); err != nil {
		return err
	}
	if a.account != "" {
		if err := a.cluster.WriteKubeconfigAs(ctx, a.Kubeconfig(), a.namespace, a.account); err != nil {
			return err
		}
	}
	for _, s := range a.servers() {
		if err := a.run(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (a *Argo) run(ctx context.Context, s process.Server) error {
	running, err := process.Start(ctx, a.dir, s)
	if err != nil {
		return err
	}
	a.running = append(a.running, running)
	return nil
}

// Limit restarts the application controller, the last of the servers, with another sync
// limit.
func (a *Argo) Limit(ctx context.Context, limit time.Duration) error {
	last := len(a.running) - 1
	a.running[last].Stop()
	a.running, a.limit = a.running[:last], limit
	return a.run(ctx, a.servers()[last])
}

// Stop ends all servers, in the reverse order of their start.
func (a *Argo) Stop() {
	for i := len(a.running) - 1; i >= 0; i-- {
		a.running[i].Stop()
	}
}

// Servers returns the running servers, for their logs.
func (a *Argo) Servers() []*process.Running { return a.running }

// prepare creates the directories of the servers, and one with the plugin's programs, the
// only programs of its image.
func (a *Argo) prepare() error {
	dirs := []string{"bin", "plugins", "work", "tmp", "config"}
	for i := 1; i < a.shards; i++ {
		dirs = append(dirs, shardDir(i))
	}
	for _, dir := range dirs {
		if err := os.Mkdir(filepath.Join(a.dir, dir), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"vmrender", "vmrender-cmp"} {
		if err := os.Symlink(a.programs[name], filepath.Join(a.dir, "bin", name)); err != nil {
			return err
		}
	}
	plugin, err := os.ReadFile(a.programs[build.Plugin])
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "config", "plugin.yaml"), plugin, 0o600)
}

// servers returns Argo CD's servers, with the fewest options that they need here.
func (a *Argo) servers() []process.Server {
	path := func(name string) string { return filepath.Join(a.dir, name) }
	environment := []string{"ARGOCD_GPG_ENABLED=false", "ARGOCD_PLUGINSOCKFILEPATH=" + path("plugins")}
	if a.unlimited {
		// Comparisons that no commit causes would be measured, too.
		environment = append(environment, "ARGOCD_RECONCILIATION_TIMEOUT=24h")
		environment = append(environment, process.Unlimited...)
	}
	environment = slices.Clip(environment)
	return append([]process.Server{
		{
			Name: "redis-server", Path: a.programs["redis-server"], Ready: process.Listens("127.0.0.1:6379"),
			Args: []string{"--bind", "127.0.0.1", "--port", "6379", "--save", "", "--appendonly", "no"},
		},
		{
			Name: "argocd-cmp-server", Path: a.programs["argocd"], Ready: process.Exists(path("plugins/vmrender.sock")),
			Args: []string{"--config-dir-path", path("config"), "--loglevel", "info"},
			Env:  append(environment, "ARGOCD_CMP_WORKDIR="+path("work"), "PATH="+path("bin"), "GOMEMLIMIT="+memoryLimit, process.AsReleased),
		},
		{
			Name: "argocd-repo-server", Path: a.programs["argocd"], Ready: process.Listens("127.0.0.1:8081"),
			Args: []string{
				"--address", "127.0.0.1", "--port", "8081", "--metrics-address", "127.0.0.1", "--metrics-port", "8084",
				"--redis", "127.0.0.1:6379", "--disable-tls",
			},
			Env: append(environment, "TMPDIR="+path("tmp"), "ARGOCD_ASK_PASS_SOCK="+path("ask-pass.sock"),
				"ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS="+exclusions,
				"GIT_CONFIG_GLOBAL="+filepath.Join(a.root, "plugin", "kustomize", "gitconfig")),
		},
	}, a.controllers(environment)...)
}

// controllers returns the application controllers, which share the clusters.
func (a *Argo) controllers(environment []string) []process.Server {
	all := make([]process.Server, a.shards)
	for i := range all {
		name, port := "argocd-application-controller", "8082"
		if i > 0 {
			name, port = filepath.Join(shardDir(i), name), strconv.Itoa(8090+i) // the base of the name selects the server
		}
		all[i] = process.Server{
			Name: name, Path: a.programs["argocd"], Ready: process.Listens("127.0.0.1:" + port),
			Args: []string{
				"--kubeconfig", a.Kubeconfig(), "--namespace", a.namespace,
				"--redis", "127.0.0.1:6379", "--repo-server", "127.0.0.1:8081", "--repo-server-plaintext", "--metrics-port", port,
			},
			// Outside a cluster, the kubeconfig's cluster is the in-cluster one.
			Env: append(environment, "ARGOCD_FAKE_IN_CLUSTER=true", "KUBECONFIG="+a.Kubeconfig(),
				fmt.Sprintf("ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT=%d", int(a.limit.Seconds()))),
		}
		if a.shards > 1 {
			all[i].Args = append(all[i].Args, "--sharding-method", "round-robin")
			all[i].Env = append(all[i].Env,
				fmt.Sprintf("ARGOCD_CONTROLLER_REPLICAS=%d", a.shards), fmt.Sprintf("ARGOCD_CONTROLLER_SHARD=%d", i))
		}
		if !a.unlimited {
			all[i].Args = append(all[i].Args, "--persist-resource-health") // so that the tests see it
		}
	}
	return all
}

// shardDir is the directory of the logs of an application controller other than the first.
func shardDir(i int) string { return fmt.Sprintf("shard-%d", i) }

// Kubeconfig returns the path of the kubeconfig of the application controller.
func (a *Argo) Kubeconfig() string {
	if a.account == "" {
		return a.cluster.Kubeconfig
	}
	return filepath.Join(a.dir, "kubeconfig")
}

// Programs returns a directory with the programs of the plugin's image.
func (a *Argo) Programs() string { return filepath.Join(a.dir, "bin") }

// These are settings in the project's manifests.
const (
	memoryLimit = "768MiB" // GOMEMLIMIT of the sidecar
	exclusions  = ".git/*" // files that the repo-server does not send
)

// install applies Argo CD's custom resources and settings, with the health checks that the
// plugin provides.
func (a *Argo) install(ctx context.Context, definitions string) error {
	for _, name := range []string{"application-crd.yaml", "applicationset-crd.yaml", "appproject-crd.yaml"} {
		objects, err := cluster.ReadObjects(filepath.Join(definitions, name))
		if err != nil {
			return err
		}
		if err := a.cluster.Install(ctx, objects); err != nil {
			return err
		}
	}
	settings, err := a.settings()
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return a.cluster.Install(ctx, settings)
}

// settings returns the minimal settings of Argo CD, with the plugin's additions to its
// ConfigMap.
func (a *Argo) settings() ([]*unstructured.Unstructured, error) {
	settings, err := cluster.Objects(settingsYAML)
	if err != nil {
		return nil, err
	}
	added, err := cluster.ReadObjects(filepath.Join(a.root, "plugin", "kustomize", "argocd-cm.yaml"))
	if err != nil {
		return nil, err
	}
	for _, o := range settings {
		if o.GetKind() == "Namespace" {
			o.SetName(a.namespace)
		} else {
			o.SetNamespace(a.namespace)
		}
		if o.GetKind() == added[0].GetKind() && o.GetName() == added[0].GetName() {
			o.Object["data"] = added[0].Object["data"]
		}
	}
	return settings, nil
}
