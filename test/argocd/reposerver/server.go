// Package reposerver runs Argo CD's own argocd-repo-server on top of a
// cmp-server, with an in-process Redis as its cache, and calls it as the
// application controller does.
package reposerver

import (
	"cmp"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/alicebob/miniredis/v2"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/argocd/cmpserver"
	"github.com/vmrender/vmrender/test/argocd/server"
)

// Server is a running repo-server.
type Server struct {
	*server.Process
	redis  *miniredis.Miniredis
	client apiclient.RepoServerServiceClient
	closer interface{ Close() error }
	dir    string
}

// deadline is the deadline of a call in seconds, the application controller's
// default (argo-cd v3.2.11, cmd/argocd-application-controller,
// --repo-server-timeout-seconds).
const deadline = 60

// Start starts a repo-server that looks for its plugins where the cmp-server
// listens. It excludes the files that the installation in the project's plugin
// directory excludes. If an Application has manifest-generate-paths, it sends the
// plugin their common directory. Its git has the settings of the installation. env is added to its environment.
func Start(
	ctx context.Context, programs server.Programs, plugins *cmpserver.Server, installation string, env ...string,
) (*Server, error) {
	exclusions, err := tarExclusions(installation)
	if err != nil {
		return nil, err
	}
	settings, err := filepath.Abs(filepath.Join(installation, "kustomize", "gitconfig"))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "repo")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	env = append([]string{
		"ARGOCD_PLUGINSOCKFILEPATH=" + plugins.Sockets, "ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS=" + exclusions,
		"GIT_CONFIG_GLOBAL=" + settings,
	}, env...)
	if err := s.start(ctx, programs, env); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// tarExclusions returns the pattern of the files that repo-server does not send.
func tarExclusions(installation string) (string, error) {
	text, err := os.ReadFile(filepath.Join(installation, "kustomize", "argocd-cmd-params-cm.yaml"))
	if err != nil {
		return "", err
	}
	var settings corev1.ConfigMap
	if err := yaml.UnmarshalStrict(text, &settings); err != nil {
		return "", err
	}
	return settings.Data["reposerver.plugin.tar.exclusions"], nil
}

func (s *Server) start(ctx context.Context, programs server.Programs, env []string) error {
	var err error
	if s.redis, err = miniredis.Run(); err != nil {
		return err
	}
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	args := []string{
		"--redis", s.redis.Addr(), "--disable-tls", "--plugin-use-manifest-generate-paths",
		"--address", "127.0.0.1", "--port", ports[0],
		"--metrics-address", "127.0.0.1", "--metrics-port", ports[1],
	}
	env = append(env,
		"PATH="+os.Getenv("PATH"), "HOME="+s.dir, "TMPDIR="+s.dir, "ARGOCD_GPG_ENABLED=false",
		"ARGOCD_ASK_PASS_SOCK="+filepath.Join(s.dir, "ask.sock"))
	s.Process, err = server.Start(programs.ArgoCD, "argocd-repo-server", s.dir, args, env)
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", ports[0])
	err = s.Await(ctx, func() error {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			err = connection.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	clients := apiclient.NewRepoServerClientset(address, deadline, apiclient.TLSConfiguration{DisableTLS: true})
	s.closer, s.client, err = clients.NewRepoServerClient()
	return err
}

// freePorts returns TCP ports of the loopback interface on which no process listens.
func freePorts(count int) ([]string, error) {
	ports := make([]string, count)
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = listener.Close() }() // all stay open until all are chosen
		ports[i] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Close ends the server.
func (s *Server) Close() {
	if s.closer != nil {
		_ = s.closer.Close()
	}
	if s.Process != nil {
		s.Kill()
	}
	if s.redis != nil {
		s.redis.Close()
	}
	_ = os.RemoveAll(s.dir)
}

// Application is an Application whose source is a directory of a git repository.
type Application struct {
	Name       string
	Namespace  string                           // of the destination
	Repository string                           // directory of a git repository, whose HEAD is rendered
	Path       string                           // of the Application's directory in it
	Paths      string                           // manifest-generate-paths, or empty for none
	Plugin     v1alpha1.ApplicationSourcePlugin // with the project's name if it has none
	Native     bool                             // rendered by Argo CD itself: a chart or a kustomization
	ValueFiles []string                         // of a chart
	Recurse    bool                             // manifests in the directory and all below it
	Cached     bool                             // from the cache, if the commit was rendered before
}

// source returns the source of the Application.
func (a Application) source() *v1alpha1.ApplicationSource {
	source := &v1alpha1.ApplicationSource{RepoURL: a.url(), Path: a.Path, TargetRevision: "HEAD"}
	switch {
	case a.Recurse:
		source.Directory = &v1alpha1.ApplicationSourceDirectory{Recurse: true}
	case !a.Native:
		plugin := a.Plugin
		plugin.Name = cmp.Or(plugin.Name, cmpserver.Plugin)
		source.Plugin = &plugin
	case len(a.ValueFiles) > 0:
		source.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: a.ValueFiles}
	}
	return source
}

func (a Application) url() string { return "file://" + a.Repository }

// The cluster that requests describe.
const kubeVersion = "1.34.1"

var apiVersions = []string{
	"cdi.kubevirt.io/v1beta1", "cdi.kubevirt.io/v1beta1/DataVolume",
	"k8s.cni.cncf.io/v1", "k8s.cni.cncf.io/v1/NetworkAttachmentDefinition",
	"kubevirt.io/v1", "kubevirt.io/v1/VirtualMachine", "v1",
}

// Generate renders the Application at the newest commit and returns one JSON manifest per object.
func (s *Server) Generate(ctx context.Context, a Application) ([]string, error) {
	return s.generate(ctx, a, "HEAD")
}

func (s *Server) generate(ctx context.Context, a Application, revision string) ([]string, error) {
	response, err := s.client.GenerateManifest(ctx, &apiclient.ManifestRequest{
		Repo:                            &v1alpha1.Repository{Repo: a.url()},
		Revision:                        revision,
		ApplicationSource:               a.source(),
		AppName:                         a.Name,
		AppLabelKey:                     common.LabelKeyAppInstance, // without it, there is no tracking annotation either
		Namespace:                       a.Namespace,
		ProjectName:                     "default",
		ProjectSourceRepos:              []string{"*"},
		TrackingMethod:                  string(v1alpha1.TrackingMethodAnnotation),
		KubeVersion:                     kubeVersion,
		ApiVersions:                     apiVersions,
		AnnotationManifestGeneratePaths: a.Paths,
		NoCache:                         !a.Cached,
		NoRevisionCache:                 true,
	})
	return response.GetManifests(), err
}
