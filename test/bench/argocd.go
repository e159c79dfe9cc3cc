package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// request is a request to the program measure, in ../argocd/cmd/measure, to
// render one Application.
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

// refresh is a request to refresh all Applications of a repository after a commit. All have the
// manifest-generate-paths of the request, whose Path is that of one of them.
type refresh struct {
	Directories []string // of the Applications in the repository
	Files       []string // to which the commit adds a comment
	Parallel    int      // number of Applications that are refreshed at the same time
	Recurse     bool     // whether the directories contain manifests, which Argo CD reads itself
}

// answer is the cost of a request, the mean of its calls. For Refresh, it is the total of all Applications.
type answer struct {
	Wall       time.Duration // from the request to the last manifest, including packing the repository
	Plugin     time.Duration // CPU time of vmrender-cmp, or of the other plugin
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

// all returns the CPU time of everything.
func (a answer) all() time.Duration { return a.Plugin + a.argoCD() }

// argoCD returns the CPU time of everything except the plugin.
func (a answer) argoCD() time.Duration { return a.CMPServer + a.RepoServer + a.Tools }

// repo returns the CPU time of repo-server and the commands that it runs.
func (a answer) repo() time.Duration { return a.RepoServer + a.Tools }

// rendering is one row of a table: an Application that Argo CD's servers render repeatedly.
type rendering struct {
	Size         int    // virtual machines in the Application
	By           string // renderer, "" for the plugin alone
	Layout       layout
	Fleets       int // number of fleets that share the repository's virtual machines
	Request      request
	Rounds       int
	Answers      []answer
	Applications int // in the repository, each like this one
}

// of returns the median of one of the answers' values.
func of[T int64 | time.Duration](r *rendering, value func(answer) T) T {
	return median(column(r.Answers, value))
}

// servers are Argo CD's servers, behind the program measure.
type servers struct {
	call     *exec.Cmd
	stdin    io.Closer
	requests *json.Encoder
	answers  *json.Decoder
}

// startServers starts the servers with their directories in work.
func startServers(ctx context.Context, root, work string, bin tools) (*servers, error) {
	plugin, err := filepath.Abs(filepath.Join(root, "plugin"))
	if err != nil {
		return nil, err
	}
	finished, err := filepath.Abs(filepath.Join(root, "test", "bench", "finished"))
	if err != nil {
		return nil, err
	}
	call := exec.CommandContext(ctx, bin.Measure, "-argocd", bin.ArgoCD, "-sidecar", bin.Sidecar, "-plugin", plugin,
		"-finished", finished)
	call.Stderr = os.Stderr
	call.Env = append(os.Environ(), "TMPDIR="+work, "PATH="+filepath.Dir(bin.Helm)+string(os.PathListSeparator)+os.Getenv("PATH"))
	stdin, err := call.StdinPipe()
	if err != nil {
		return nil, err
	}
	// measure ends its servers and itself when its input ends. If it were
	// killed, it could not.
	call.Cancel = stdin.Close
	stdout, err := call.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &servers{call, stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)}, call.Start()
}

func (s *servers) close() error {
	return firstError(s.stdin.Close(), s.call.Wait())
}

func (s *servers) ask(asked request) (answer, error) {
	var got answer
	if err := s.requests.Encode(asked); err != nil {
		return got, err
	}
	err := s.answers.Decode(&got)
	if err == nil && got.Error != "" {
		err = errors.New(got.Error)
	}
	return got, err
}

// measureServers measures all renderings in turn. It restarts the servers for
// each pass, because they never release memory.
func measureServers(ctx context.Context, root, work string, bin tools, all []*rendering) error {
	passes := 0
	for _, r := range all {
		passes = max(passes, r.Rounds)
	}
	for pass := range passes {
		var now []*rendering
		for _, r := range all {
			if due(pass, passes, r.Rounds) {
				now = append(now, r)
			}
		}
		if err := measureOnce(ctx, root, work, bin, now); err != nil {
			return err
		}
		showPass(pass+1, passes)
	}
	return nil
}

func measureOnce(ctx context.Context, root, work string, bin tools, all []*rendering) (err error) {
	s, err := startServers(ctx, root, work, bin)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.close()) }()
	for _, r := range all {
		got, err := s.ask(r.Request)
		if err != nil {
			return fmt.Errorf("rendering %s of %s: %w", r.Request.Path, r.Request.Repository, err)
		}
		r.Answers = append(r.Answers, got)
	}
	return nil
}
