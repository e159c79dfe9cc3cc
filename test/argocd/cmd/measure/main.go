// Command measure measures what Argo CD's own servers and the plugin cost when
// they render Applications. It starts the servers and then answers, one line of
// JSON each, the requests on standard input until that ends.
//
// Usage: measure -argocd PATH -sidecar PATH -plugin DIR
//
// The paths are those of the built ../argocd and of vmrender-cmp; the directory
// holds plugin.yaml.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/vmrender/vmrender/test/argocd/cmpserver"
	"github.com/vmrender/vmrender/test/argocd/reposerver"
	"github.com/vmrender/vmrender/test/argocd/server"
)

// request asks for renderings of one Application.
type request struct {
	Repository string // directory, a git repository where Git is set
	Path       string // of the Application's directory in it
	Paths      string // manifest-generate-paths, for Git
	Git        bool   // through repo-server, not cmp-server alone
	Calls      int    // one after the other
}

// answer is what a request cost. Times are in nanoseconds and the mean of its calls.
type answer struct {
	Wall       time.Duration // from the request to the last manifest, packing of the repository included
	Plugin     time.Duration // CPU time of vmrender-cmp
	CMPServer  time.Duration // CPU time of cmp-server
	RepoServer time.Duration // CPU time of repo-server and of git
	Peak       int64         // bytes, resident set of cmp-server alone
	Message    int64         // bytes of all manifests
	Status     int64         // bytes that they take in the Application's status, for Git
	Error      string        // empty for a success
}

func main() {
	var programs server.Programs
	flag.StringVar(&programs.ArgoCD, "argocd", "", "Argo CD's servers")
	flag.StringVar(&programs.Sidecar, "sidecar", "", "vmrender-cmp")
	plugin := flag.String("plugin", "", "directory of plugin.yaml")
	flag.Parse()
	// An interrupt goes to the caller too, who closes standard input. Dying of it
	// here would leave cmp-server behind, which dies of SIGKILL alone.
	signal.Ignore(os.Interrupt)
	if err := measure(context.Background(), programs, *plugin); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, programs server.Programs, plugin string) error {
	cmp, err := cmpserver.Start(ctx, programs, plugin)
	if err != nil {
		return err
	}
	defer cmp.Close()
	repo, err := reposerver.Start(ctx, programs, cmp)
	if err != nil {
		return err
	}
	defer repo.Close()
	s := servers{cmp: cmp, repo: repo, known: map[string]bool{}}
	return s.serve(ctx, os.Stdin, os.Stdout)
}

type servers struct {
	cmp   *cmpserver.Server
	repo  *reposerver.Server
	known map[string]bool // repositories that were rendered before
}

// serve answers requests until there are no more.
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

// warmUp renders what is in a new repository once: repo-server clones it then.
func (s servers) warmUp(ctx context.Context, asked request) error {
	if s.known[asked.Repository] {
		return nil
	}
	s.known[asked.Repository] = true
	_, err := s.generate(ctx, asked)
	return err
}

// answer renders the Application as often as asked and takes the mean.
func (s servers) answer(ctx context.Context, asked request) (answer, error) {
	if err := errors.Join(s.warmUp(ctx, asked), s.cmp.ResetPeak()); err != nil {
		return answer{}, err
	}
	before, err := s.used()
	if err != nil {
		return answer{}, err
	}
	start := time.Now()
	var manifests []string
	for range asked.Calls {
		if manifests, err = s.generate(ctx, asked); err != nil {
			return answer{}, err
		}
	}
	wall := time.Since(start)
	after, err := s.used()
	if err != nil {
		return answer{}, err
	}
	peak, err := s.cmp.Peak()
	if err != nil {
		return answer{}, err
	}
	each := func(total time.Duration) time.Duration { return total / time.Duration(asked.Calls) }
	cmp, repo := after.cmp.Less(before.cmp), after.repo.Less(before.repo)
	got := answer{
		Wall: each(wall), Plugin: each(cmp.Children), CMPServer: each(cmp.Own), RepoServer: each(repo.Own + repo.Children),
		Peak: peak,
	}
	for _, manifest := range manifests {
		got.Message += int64(len(manifest))
	}
	if asked.Git { // cmp-server alone leaves a List together
		got.Status, err = statusSize(manifests)
	}
	return got, err
}

// patience is the deadline that the application controller gives by default.
const patience = time.Minute

func (s servers) generate(ctx context.Context, asked request) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if asked.Git {
		return s.repo.Generate(ctx, reposerver.Application{
			Name: "bench", Namespace: "vms", Repository: asked.Repository, Path: asked.Path, Paths: asked.Paths,
		})
	}
	return s.cmp.Generate(ctx, cmpserver.Application{
		Name: "bench", Namespace: "vms", Root: asked.Repository, Path: asked.Path,
	})
}

// usage is what both servers have used since they were started.
type usage struct{ cmp, repo server.Usage }

func (s servers) used() (usage, error) {
	cmp, err := s.cmp.Usage()
	if err != nil {
		return usage{}, err
	}
	repo, err := s.repo.Usage()
	return usage{cmp, repo}, err
}
