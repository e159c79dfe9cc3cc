// Package cmpserver runs Argo CD's own argocd-cmp-server with the project's
// plugin and calls it as repo-server does.
package cmpserver

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/cmp"

	"github.com/vmrender/vmrender/test/argocd/server"
)

// Plugin is the name of the project's plugin and therefore of its socket.
const Plugin = "vmrender"

// Server is a running cmp-server.
type Server struct {
	*server.Process
	Sockets string // directory of its socket
	name    string // of its plugin
	work    string // where it unpacks repositories
	client  apiclient.ConfigManagementPluginServiceClient
	closer  interface{ Close() error }
	dir     string
}

// Start starts a cmp-server with the plugin.yaml in the directory config. It
// finds the plugin's programs in its PATH, as in the sidecar's image.
func Start(ctx context.Context, programs server.Programs, config string) (*Server, error) {
	return start(ctx, programs, config, Plugin, "")
}

// StartNext starts another cmp-server, for the plugin of that name in the
// plugin.yaml of config. A repo-server that finds the plugin of s finds both.
func (s *Server) StartNext(ctx context.Context, programs server.Programs, config, name string) (*Server, error) {
	return start(ctx, programs, config, name, s.Sockets)
}

// start starts a cmp-server with its socket in a directory, or in one of its own if sockets is empty.
func start(ctx context.Context, programs server.Programs, config, name, sockets string) (*Server, error) {
	config, err := filepath.Abs(config)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cmp") // short, because a socket's path has at most 107 bytes (unix(7))
	if err != nil {
		return nil, err
	}
	if sockets == "" {
		sockets = filepath.Join(dir, "plugins")
	}
	s := &Server{dir: dir, name: name, Sockets: sockets, work: filepath.Join(dir, "work")}
	if err := s.start(ctx, programs, config); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, programs server.Programs, config string) error {
	for _, dir := range []string{s.Sockets, s.work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	env := []string{
		"PATH=" + programs.Dir(), "TMPDIR=" + s.dir,
		"ARGOCD_PLUGINSOCKFILEPATH=" + s.Sockets, "ARGOCD_CMP_WORKDIR=" + s.work,
	}
	var err error
	s.Process, err = server.Start(programs.ArgoCD, "argocd-cmp-server", s.dir, []string{"--config-dir-path", config}, env)
	if err != nil {
		return err
	}
	socket := filepath.Join(s.Sockets, s.name+".sock")
	err = s.Await(ctx, func() error {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			err = connection.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	s.closer, s.client, err = apiclient.NewConfigManagementPluginClientSet(socket).NewConfigManagementPluginClient()
	return err
}

// Close ends the server and returns the peak resident set, in bytes, of the
// server or of its largest child.
func (s *Server) Close() (peak int64) {
	if s.closer != nil {
		_ = s.closer.Close()
	}
	if s.Process != nil {
		peak = s.Kill()
	}
	_ = os.RemoveAll(s.dir)
	return peak
}

// Unpacked lists the currently unpacked repositories.
func (s *Server) Unpacked() ([]string, error) {
	return filepath.Glob(filepath.Join(s.work, "_cmp_server", "*"))
}

// Application is what repo-server knows about an Application.
type Application struct {
	Name       string
	Namespace  string // of the destination
	Root, Path string // of the checked-out repository, and of the Application in it
	Parameters v1alpha1.ApplicationSourcePluginParameters
	Env        []string // further variables, as NAME=VALUE
}

// environ returns the environment that repo-server sends (argo-cd v3.2.11,
// reposerver/repository/repository.go newEnv and getPluginEnvs).
func (a Application) environ() ([]string, error) {
	parameters, err := a.Parameters.Environ()
	env := append([]string{
		"ARGOCD_APP_NAME=" + a.Name,
		"ARGOCD_APP_NAMESPACE=" + a.Namespace,
		"ARGOCD_APP_SOURCE_PATH=" + a.Path,
	}, a.Env...)
	return append(env, parameters...), err
}

// upload is a call that begins with the upload of a repository.
type upload[Response any] interface {
	cmp.StreamSender
	Context() context.Context
	CloseAndRecv() (Response, error)
}

func send[Response any](a Application, stream upload[Response], err error) (Response, error) {
	var env []string
	if err == nil {
		env, err = a.environ()
	}
	if err == nil {
		err = cmp.SendRepoStream(stream.Context(), filepath.Join(a.Root, a.Path), a.Root, stream, env, nil)
	}
	if err != nil {
		var none Response
		return none, err
	}
	return stream.CloseAndRecv()
}

// Generate calls GenerateManifest and returns one JSON manifest per document
// that the plugin wrote.
func (s *Server) Generate(ctx context.Context, a Application) ([]string, error) {
	stream, err := s.client.GenerateManifest(ctx)
	response, err := send(a, stream, err)
	return response.GetManifests(), err
}

// Announcements calls GetParametersAnnouncement.
func (s *Server) Announcements(ctx context.Context, a Application) (*apiclient.ParametersAnnouncementResponse, error) {
	stream, err := s.client.GetParametersAnnouncement(ctx)
	return send(a, stream, err)
}
