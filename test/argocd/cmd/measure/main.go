// Command measure measures what Argo CD's own servers and the plugin cost when
// they render Applications. It starts the servers, then answers requests from
// standard input, one line of JSON each, until the input ends.
//
// Usage: measure -argocd PATH -sidecar PATH -plugin DIR -finished DIR
//
// The paths are those of the built ../argocd and of vmrender-cmp. The directories
// contain plugin.yaml: with the installations, and of the plugin that only writes
// a file, which is in the directory of vmrender-cmp.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"

	"github.com/vmrender/vmrender/test/argocd/cmpserver"
	"github.com/vmrender/vmrender/test/argocd/compare"
	"github.com/vmrender/vmrender/test/argocd/reposerver"
	"github.com/vmrender/vmrender/test/argocd/server"
)

// request is a request to render one Application.
type request struct {
	Repository string // directory, a git repository if Git is set
	Path       string // of the Application's directory in it
	Paths      string // manifest-generate-paths, for Git
	Git        bool   // through repo-server, not cmp-server alone
	Calls      int    // one after the other
	WarmUps    int    // calls before the first one of a repository, which are not measured

	Native     bool     // rendered by Argo CD itself, for Git
	ValueFiles []string // of a chart, for Native
	Commit     bool     // makes a new commit before each call, for Git
	Cached     bool     // with Argo CD's cache of manifests, for Git
	Compare    bool     // then compares the objects as the application controller does

	Finished string   // file that another plugin writes instead of vmrender-cmp, for Git
	Refresh  *refresh // refreshes many Applications instead, for Git
}

// answer is the cost of a request. Times are in nanoseconds and are the mean of its calls.
type answer struct {
	Wall       time.Duration // from the request to the last manifest, including packing the repository
	Plugin     time.Duration // CPU time of vmrender-cmp
	CMPServer  time.Duration // CPU time of cmp-server
	RepoServer time.Duration // CPU time of repo-server
	Tools      time.Duration // CPU time of the commands that repo-server runs: git, Helm, kustomize
	Compare    time.Duration // CPU time of the comparison, per object
	Peak       int64         // bytes, resident set of cmp-server alone
	RepoPeak   int64         // bytes, resident set of repo-server alone
	Message    int64         // bytes of all manifests
	Status     int64         // bytes of their entries in the Application's status, for Git
	Rendered   int           // number of Applications that were not answered from the cache, for Refresh
	Error      string        // empty on success
}

func main() {
	var programs server.Programs
	flag.StringVar(&programs.ArgoCD, "argocd", "", "Argo CD's servers")
	flag.StringVar(&programs.Sidecar, "sidecar", "", "vmrender-cmp")
	plugin := flag.String("plugin", "", "directory of plugin.yaml")
	finished := flag.String("finished", "", "directory of the plugin.yaml that writes a file")
	flag.Parse()
	// An interrupt also reaches the caller, who closes standard input. If this
	// process died of it, cmp-server, which only SIGKILL ends, would stay
	// behind.
	signal.Ignore(os.Interrupt)
	if err := measure(context.Background(), programs, *plugin, *finished); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// finishedPlugin is the name of the plugin that only writes a file.
const finishedPlugin = "finished"

func measure(ctx context.Context, programs server.Programs, plugin, finished string) error {
	cmp, err := cmpserver.Start(ctx, programs, plugin)
	if err != nil {
		return err
	}
	defer cmp.Close()
	writer, err := cmp.StartNext(ctx, programs, finished, finishedPlugin)
	if err != nil {
		return err
	}
	defer writer.Close()
	repo, err := reposerver.Start(ctx, programs, cmp, plugin)
	if err != nil {
		return err
	}
	defer repo.Close()
	s := servers{cmp: cmp, writer: writer, repo: repo, known: map[string]bool{}}
	return s.serve(ctx, os.Stdin, os.Stdout)
}

type servers struct {
	cmp    *cmpserver.Server
	writer *cmpserver.Server // of the plugin that only writes a file
	repo   *reposerver.Server
	known  map[string]bool // repositories that were rendered before
}

// plugin returns the cmp-server that renders a request.
func (s servers) plugin(asked request) *cmpserver.Server {
	if asked.Finished != "" {
		return s.writer
	}
	return s.cmp
}

// serve answers requests until the input ends.
func (s servers) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var asked request
		if err := requests.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		got, err := s.answer(ctx, asked)
		if err != nil {
			got = answer{Error: err.Error()}
		}
		if err := answers.Encode(got); err != nil {
			return err
		}
	}
}

// warmUp renders the Application in a new repository.
func (s servers) warmUp(ctx context.Context, asked request) error {
	if s.known[asked.Repository] {
		return nil
	}
	s.known[asked.Repository] = true
	asked.Calls = asked.WarmUps
	_, _, err := s.calls(ctx, asked)
	return err
}

// answer renders the Application as often as requested and returns the mean cost.
func (s servers) answer(ctx context.Context, asked request) (answer, error) {
	if err := errors.Join(s.warmUp(ctx, asked), s.plugin(asked).ResetPeak(), s.repo.ResetPeak()); err != nil {
		return answer{}, err
	}
	if asked.Refresh != nil {
		return s.refresh(ctx, asked)
	}
	before, err := s.used(asked)
	if err != nil {
		return answer{}, err
	}
	manifests, wall, err := s.calls(ctx, asked)
	if err != nil {
		return answer{}, err
	}
	got, err := s.cost(asked, before, wall)
	if err != nil {
		return answer{}, err
	}
	for _, manifest := range manifests {
		got.Message += int64(len(manifest))
	}
	if asked.Git { // cmp-server alone does not split a List
		got.Status, err = statusSize(manifests)
	}
	if asked.Compare && err == nil {
		got.Compare, err = compare.Cost(manifests)
	}
	return got, err
}

// calls makes the calls and returns the manifests of the last one and the total time.
func (s servers) calls(ctx context.Context, asked request) (manifests []string, wall time.Duration, err error) {
	for range asked.Calls {
		if asked.Commit {
			if err := commit(ctx, asked.Repository); err != nil {
				return nil, 0, err
			}
		}
		start := time.Now()
		if manifests, err = s.generate(ctx, asked); err != nil {
			return nil, 0, err
		}
		wall += time.Since(start)
	}
	return manifests, wall, nil
}

// commit commits the changes of tracked files, if there are any.
func commit(ctx context.Context, repository string) error {
	git := exec.CommandContext(ctx, "git", "-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false",
		"-c", "maintenance.auto=false", "commit", "--quiet", "--all", "--allow-empty", "--message=Change")
	git.Dir = repository
	if text, err := git.CombinedOutput(); err != nil {
		return fmt.Errorf("committing in %s: %w: %s", repository, err, text)
	}
	return nil
}

// cost returns what the servers and their children have used since before.
func (s servers) cost(asked request, before usage, wall time.Duration) (answer, error) {
	after, err := s.used(asked)
	if err != nil {
		return answer{}, err
	}
	peak, err := s.plugin(asked).Peak()
	if err != nil {
		return answer{}, err
	}
	repoPeak, err := s.repo.Peak()
	each := func(total time.Duration) time.Duration { return total / time.Duration(asked.Calls) }
	cmp, repo := after.cmp.Less(before.cmp), after.repo.Less(before.repo)
	return answer{
		Wall: each(wall), Plugin: each(cmp.Children), CMPServer: each(cmp.Own), RepoServer: each(repo.Own), Tools: each(repo.Children),
		Peak: peak, RepoPeak: repoPeak,
	}, err
}

// patience is the application controller's default deadline.
const patience = time.Minute

func (s servers) generate(ctx context.Context, asked request) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if asked.Git {
		return s.repo.Generate(ctx, asked.application())
	}
	return s.cmp.Generate(ctx, cmpserver.Application{
		Name: "bench", Namespace: "vms", Root: asked.Repository, Path: asked.Path,
	})
}

// application returns the Application of a request, for Git.
func (asked request) application() reposerver.Application {
	application := reposerver.Application{
		Name: "bench", Namespace: "vms", Repository: asked.Repository, Path: asked.Path, Paths: asked.Paths,
		Native: asked.Native, ValueFiles: asked.ValueFiles, Cached: asked.Cached,
		Recurse: asked.Refresh != nil && asked.Refresh.Recurse,
	}
	if asked.Finished != "" {
		application.Plugin = v1alpha1.ApplicationSourcePlugin{
			Name: finishedPlugin, Env: v1alpha1.Env{{Name: "MANIFESTS", Value: asked.Finished}},
		}
	}
	return application
}

// usage is what both servers have used since their start.
type usage struct{ cmp, repo server.Usage }

func (s servers) used(asked request) (usage, error) {
	cmp, err := s.plugin(asked).Usage()
	if err != nil {
		return usage{}, err
	}
	repo, err := s.repo.Usage()
	return usage{cmp, repo}, err
}
