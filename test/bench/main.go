// Command bench measures the cost of vmrender, compares it with Helm rendering the
// same objects from a chart, and prints a page of Markdown.
//
// It builds fleets of 1 to 100,000 virtual machines, vmrender, and Helm, and checks that both
// render the same objects. It runs them in turn and reports medians of CPU time, wall time,
// and peak memory, growth with the size of the fleet, and the targets that vmrender must meet.
// Then it lets Argo CD's own servers render fleets with the plugin, and reports the cost of each.
//
// Usage, in its directory:
//
//	go run . [-write] [-check] [-count=false] [-argocd=false] [-only SECTION] [-most N] [-rounds N]
//		[-work DIR] [-dir DIR] [-root DIR]
//	go run . -gates [-dir DIR] [-root DIR]
//
// A full run takes up to 40 minutes on an idle machine with two CPUs. "-most 1000 -rounds 1" takes a few
// minutes and measures the same in smaller fleets. -only measures one section, and with -write replaces only its
// parts of the page and its targets. -gates takes two minutes, and needs neither Helm nor Argo CD.
package main

import (
	"context"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	Root   string  // of vmrender's repository
	Dir    string  // programs are kept in it
	Most   int     // largest fleet
	Rounds int     // of Helm
	Write  bool    // docs/explanation/performance.md
	Check  bool    // fail if a gate is missed
	Count  bool    // count instructions
	ArgoCD bool    // measure Argo CD's servers
	Work   string  // contains the inputs and the servers' files during the run
	Gates  bool    // only count, and fail if a gate is missed
	Only   section // measured alone, or "" for all
}

func main() {
	opts, err := parseOptions(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = bench(ctx, opts)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string) (options, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return options{}, err
	}
	var opts options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.StringVar(&opts.Root, "root", filepath.Join("..", ".."), "root of vmrender's repository")
	flags.StringVar(&opts.Dir, "dir", filepath.Join(cache, "vmrender-bench"), "directory for programs")
	flags.IntVar(&opts.Most, "most", 100_000, "largest fleet, in virtual machines")
	flags.IntVar(&opts.Rounds, "rounds", 5, "how often Helm is run")
	flags.BoolVar(&opts.Write, "write", false, "write docs/explanation/performance.md")
	flags.BoolVar(&opts.Check, "check", false, "exit with status 1 when a gate is missed")
	flags.BoolVar(&opts.Count, "count", hasValgrind(), "count instructions with valgrind")
	flags.StringVar(&opts.Work, "work", workDirectory(), "directory for the inputs and the files of Argo CD's servers, while it runs")
	flags.BoolVar(&opts.Gates, "gates", false, "count instructions and bytes alone, and exit with status 1 when a gate is missed")
	flags.Var(&opts.Only, "only", "measure one section: fleets, tools, argocd or repository (default all)")
	flags.BoolVar(&opts.ArgoCD, "argocd", runtime.GOOS == "linux", "measure through Argo CD's servers, too; needs Linux and git")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if opts.Rounds < 1 || opts.Most < 1 || flags.NArg() > 0 {
		return options{}, fmt.Errorf("-rounds and -most are at least 1, and no arguments are accepted, got %q", flags.Args())
	}
	return opts, nil
}

// bench does the whole run.
func bench(ctx context.Context, opts options) error {
	if opts.Gates {
		return gates(ctx, opts)
	}
	opts.ArgoCD = opts.ArgoCD && (opts.runs(sectionArgoCD) || opts.runs(sectionRepository))
	say("building helm, vmrender and Argo CD's servers into %s", opts.Dir)
	bin, err := buildTools(ctx, opts.Root, opts.Dir, opts.ArgoCD)
	if err != nil {
		return err
	}
	dir, remove, err := newInputs(opts)
	if err != nil {
		return err
	}
	defer remove()
	all, err := dir.measureCommands(ctx, opts, bin)
	if err != nil {
		return err
	}
	path, err := dir.measureArgoCD(ctx, opts, bin)
	if err != nil {
		return err
	}
	return publish(opts, bin, all, path)
}

// measureCommands measures the commands of the requested sections.
func (dir inputs) measureCommands(ctx context.Context, opts options, bin tools) ([]*series, error) {
	var all []*series
	if opts.runs(sectionFleets) {
		say("comparing what helm and vmrender render")
		if err := dir.checkEqual(ctx, bin); err != nil {
			return nil, err
		}
		all = dir.planned(bin, opts.Most, opts.Rounds)
	}
	if opts.runs(sectionTools) {
		say("making the inputs of commands at size")
		err := firstFailure(
			func() error { return dir.writePlans(ctx, bin, opts.Most) },
			func() error { return dir.writeCommands(ctx, bin, opts.Most) },
		)
		if err != nil {
			return nil, err
		}
		all = dir.withCommands(all, bin, opts)
	}
	if len(all) == 0 {
		return nil, nil
	}
	if err := measureAll(ctx, bin.Launch, all, showPass); err != nil || !opts.Count {
		return all, err
	}
	say("counting instructions")
	return all, countInstructions(ctx, all)
}

// measureArgoCD lets Argo CD's servers render fleets and estates, if requested.
func (dir inputs) measureArgoCD(ctx context.Context, opts options, bin tools) (path realPath, err error) {
	if !opts.ArgoCD {
		return path, nil
	}
	if path.Version, err = moduleVersion(bin.ArgoCD, "github.com/argoproj/argo-cd/v3"); err != nil {
		return path, err
	}
	if path.Work, err = fileSystem(ctx, opts.Work); err != nil {
		return path, err
	}
	if opts.runs(sectionArgoCD) {
		if err := dir.measureRenderings(ctx, opts, bin, &path); err != nil {
			return path, err
		}
	}
	if opts.runs(sectionRepository) {
		say("refreshing many Applications of one repository")
		path.Refreshed, err = dir.measureMany(ctx, opts, bin)
	}
	return path, err
}

// measureRenderings measures what Argo CD's servers need for one Application at a time.
func (dir inputs) measureRenderings(ctx context.Context, opts options, bin tools, path *realPath) error {
	path.CMPServer, path.Ways = dir.throughCMPServer(opts.Most, opts.Rounds), dir.throughWays(opts.Most, opts.Rounds)
	if err := dir.writeWays(ctx, bin, opts.Most); err != nil {
		return err
	}
	if opts.Most >= estateSize {
		say("committing repositories of %s virtual machines", thousands(estateSize))
		if err := dir.writeEstates(ctx); err != nil {
			return err
		}
		path.RepoServer = dir.throughRepoServer(opts.Rounds)
	}
	say("rendering through Argo CD's servers")
	// Argo CD leaves an empty directory behind for each repository that it sends to a plugin, so its files go into the
	// directory that is removed.
	all := slices.Concat(path.Ways, path.CMPServer, path.RepoServer)
	if err := measureServers(ctx, opts.Root, string(dir), bin, all); err != nil {
		return err
	}
	return path.checkFloors()
}

// newInputs creates the fleets, the values, and a copy of the chart in a new
// directory, which remove deletes.
func newInputs(opts options) (dir inputs, remove func(), err error) {
	parent, err := filepath.Abs(opts.Work)
	if err != nil {
		return "", nil, err
	}
	made, err := os.MkdirTemp(parent, "vmrender-bench-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(made) }
	say("making fleets of up to %s virtual machines in %s", thousands(opts.largest()), made)
	dir = inputs(made)
	err = firstFailure(
		func() error { return dir.write(opts.largest()) },
		func() error {
			return os.CopyFS(filepath.Join(made, "chart"), os.DirFS(filepath.Join(opts.Root, "test", "bench", "chart")))
		},
	)
	if err != nil {
		remove()
	}
	return dir, remove, err
}

// largest returns the size of the largest fleet that the requested sections read.
func (opts options) largest() int {
	switch {
	case opts.Only == sectionRepository:
		return 1 // its fleets are in the repository
	case opts.runs(sectionFleets):
		return max(opts.Most, equalSize)
	}
	return min(opts.Most, largestForSidecar)
}

// publish prints the page, writes it if requested, and checks the gates.
func publish(opts options, bin tools, all []*series, path realPath) error {
	helm, err := buildinfo.ReadFile(bin.Helm)
	if err != nil {
		return err
	}
	made := newReport(helm.Main.Version, opts.Rounds, all)
	made.RealPath = path
	text, err := made.markdown()
	if err != nil {
		return err
	}
	file := filepath.Join(opts.Root, "docs", "explanation", "performance.md")
	if opts.Only != "" {
		before, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text = splice(string(before), text, opts.Only)
	}
	fmt.Print(text)
	say("%s", made.summary())
	if opts.Write {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if missing := missedGates(targets(all, path), ratio, counted); opts.Check && len(missing) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missing, "; "))
	}
	return nil
}

func showPass(pass, passes int) {
	if pass == passes || pass%5 == 0 {
		say("measured %d of %d passes", pass, passes)
	}
}

// say prints progress messages.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}
