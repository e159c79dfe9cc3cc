package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The renderers of an Application's manifests.
const (
	byPlugin    = "the plugin"
	byFile      = "a plugin that writes a file"
	byHelm      = "Argo CD: Helm"
	byKustomize = "Argo CD: kustomize"
)

// way is a way to render the same virtual machines.
type way struct {
	By     string
	Dir    string // part of the name of its repositories
	Layout layout
	Sizes  []int // all of throughArgoCD if nil
	Write  func(dir inputs, ctx context.Context, bin tools, root string, n int) error
	Native bool
	Values []string // files of a chart

	Finished bool // the manifests are in a file, which a plugin that costs nothing writes; only for new commits
}

// ways are the compared ways. A way that writes finished manifests has the repository of the way that renders them,
// so that Argo CD sends the same files.
var ways = []way{
	{By: byHelm, Dir: "helm", Layout: oneFile, Write: inputs.writeChart, Native: true, Values: []string{"vms.yaml"}},
	{By: byPlugin, Dir: "plugin", Layout: filePerVM, Write: inputs.writeFiles},
	{By: byFile, Dir: "plugin", Layout: filePerVM, Finished: true},
	{By: byPlugin, Dir: "plugin", Layout: oneFile, Write: inputs.writeFile},
	{By: byFile, Dir: "plugin", Layout: oneFile, Finished: true},
	{By: byKustomize, Dir: "kustomize", Layout: oneFile, Sizes: []int{100}, Write: inputs.writeKustomization, Native: true},
}

// throughArgoCD are the sizes of the compared Applications.
var throughArgoCD = []int{1, 100, 1_000, 10_000}

// comparedMost is the size of the largest Application whose objects are compared as the application controller
// does.
const comparedMost = 1_000

// repository returns the git repository of one way and size.
func (dir inputs) repository(w way, n int) string {
	return filepath.Join(string(dir), fmt.Sprintf("path-%s-%t-%d", w.Dir, w.Layout == oneFile, n))
}

// finished returns the file with the manifests that one way writes. It is not in the repository.
func (dir inputs) finished(w way, n int) string { return dir.repository(w, n) + ".json" }

// writeFinished writes this file, as the plugin renders the same virtual machines.
func (dir inputs) writeFinished(ctx context.Context, bin tools, w way, n int) error {
	manifests, err := dir.sidecar(bin, n, w.Layout).output(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(dir.finished(w, n), manifests, 0o644)
}

func (dir inputs) writeFiles(_ context.Context, _ tools, root string, n int) error {
	return writeFleet(root, n, filePerVM)
}

func (dir inputs) writeFile(_ context.Context, _ tools, root string, n int) error {
	return writeFleet(root, n, oneFile)
}

// writeChart writes the chart and the values of n virtual machines next to its own.
func (dir inputs) writeChart(_ context.Context, _ tools, root string, n int) error {
	return firstFailure(
		func() error { return os.CopyFS(root, os.DirFS(filepath.Join(string(dir), "chart"))) },
		func() error { return writeValues(filepath.Join(root, "vms.yaml"), n) },
	)
}

// writeKustomization writes the manifests that the chart renders, and a kustomization of them.
func (dir inputs) writeKustomization(ctx context.Context, bin tools, root string, n int) error {
	manifests, err := dir.helm(bin, n).output(ctx)
	if err != nil {
		return err
	}
	return firstFailure(
		func() error { return os.MkdirAll(root, 0o755) },
		func() error { return os.WriteFile(filepath.Join(root, "vms.yaml"), manifests, 0o644) },
		func() error {
			return os.WriteFile(filepath.Join(root, "kustomization.yaml"), []byte("resources: [vms.yaml]\n"), 0o644)
		},
	)
}

// throughWays returns the renderings that compare the ways: of a new commit, and of one that Argo CD has
// rendered before.
func (dir inputs) throughWays(most, rounds int) []*rendering {
	var all []*rendering
	for _, n := range throughArgoCD {
		for _, w := range ways {
			if n > most || !w.has(n) {
				continue
			}
			all = append(all, dir.throughWay(w, n, rounds, true))
			if !w.Finished {
				all = append(all, dir.throughWay(w, n, rounds, false))
			}
		}
	}
	return all
}

// throughWay returns the rendering of a new commit, or of one that Argo CD has rendered before.
func (dir inputs) throughWay(w way, n, rounds int, fresh bool) *rendering {
	r := &rendering{
		Size: n, By: w.By, Layout: w.Layout, Fleets: 1, Rounds: w.rounds(n, rounds, fresh), Applications: 1,
		Request: request{
			Repository: dir.repository(w, n), Path: ".", Git: true, Calls: w.calls(n, fresh), WarmUps: w.Layout.warmUps(),
			Native: w.Native, ValueFiles: w.Values, Cached: true, Commit: fresh,
			Compare: fresh && !w.Finished && n <= comparedMost,
		},
	}
	if w.Finished {
		r.Request.Finished = dir.finished(w, n)
	}
	return r
}

// rounds returns how often an Application is rendered, at most as often as given. The shortest ones differ most from
// round to round, and those of 1,000 VMs come closest to their limit. The largest takes most of the time of a run, and
// single events are a small part of it. Argo CD itself takes the longest for it, and has no limit.
func (w way) rounds(n, most int, fresh bool) int {
	switch {
	case n == 1 || n == 1_000 && fresh && !w.Native:
		return most
	case n > 1_000 && w.Native:
		return 1
	}
	return min(most, 3)
}

// calls returns the number of renderings that are measured as one. Those of the smallest Application with the closest
// limit are twice as many: 10 ms are a tenth of what the plugin needs for it. Argo CD itself takes longer.
func (w way) calls(n int, fresh bool) int {
	switch {
	case fresh && w.Native:
		return max(1, calls(n)/3)
	case fresh && n == 1_000:
		return 2 * calls(n)
	}
	return calls(n)
}

func (w way) has(n int) bool { return w.Sizes == nil || slices.Contains(w.Sizes, n) }

// writeWays creates the repositories, and the files of finished manifests.
func (dir inputs) writeWays(ctx context.Context, bin tools, most int) error {
	for _, n := range throughArgoCD {
		for _, w := range ways {
			if n > most || !w.has(n) {
				continue
			}
			if err := dir.writeWay(ctx, bin, w, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (dir inputs) writeWay(ctx context.Context, bin tools, w way, n int) error {
	if w.Finished {
		return dir.writeFinished(ctx, bin, w, n)
	}
	root := dir.repository(w, n)
	return firstFailure(
		func() error { return w.Write(dir, ctx, bin, root, n) },
		func() error { return commit(ctx, root) },
	)
}

// way returns the rendering of a new commit by one way, or nil if there is none.
func (p realPath) way(by string, spread layout, n int) *rendering {
	for _, r := range p.Ways {
		if r.By == by && r.Layout == spread && r.Size == n && r.Request.Commit && len(r.Answers) > 0 {
			return r
		}
	}
	return nil
}

// overFloor returns the total CPU time with the plugin as a multiple of that with a plugin that costs nothing, or NaN
// if one was not measured: the median of the ratios of all rounds. What else the computer does lasts longer than a
// round, and makes both slower. Argo CD's own programs do the same for both plugins, and differ by chance as much as a
// plugin costs: they count in both totals with the mean of both.
func (p realPath) overFloor(spread layout, n int) float64 {
	plugin, floor := p.way(byPlugin, spread, n), p.way(byFile, spread, n)
	if plugin == nil || floor == nil {
		return math.NaN()
	}
	ratios := make([]float64, min(len(plugin.Answers), len(floor.Answers)))
	for i := range ratios {
		a, b := plugin.Answers[i], floor.Answers[i]
		same := (a.argoCD() + b.argoCD()) / 2
		ratios[i] = float64(same+a.Plugin) / float64(same+b.Plugin)
	}
	return median(ratios)
}

// checkFloors returns an error if the plugins with the same input did not write manifests of the same size.
func (p realPath) checkFloors() error {
	for _, floor := range p.Ways {
		if floor.By != byFile {
			continue
		}
		plugin := p.way(byPlugin, floor.Layout, floor.Size)
		if want, got := of(plugin, message), of(floor, message); got != want {
			return fmt.Errorf("%s, %s: finished manifests of %d bytes, and rendered ones of %d",
				vms(floor.Size), floor.Layout, got, want)
		}
	}
	return nil
}

// Lead returns a short table of the cost of a commit in each way.
func (p realPath) Lead() string {
	var rows [][]string
	for _, n := range throughArgoCD {
		plugin, floor, helm := p.way(byPlugin, filePerVM, n), p.way(byFile, filePerVM, n), p.way(byHelm, oneFile, n)
		if plugin != nil && floor != nil && helm != nil {
			rows = append(rows, []string{
				thousands(n), seconds(of(plugin, answer.all)), seconds(of(floor, answer.all)), times(p.overFloor(filePerVM, n)),
				seconds(of(helm, answer.all)), p.share(plugin),
			})
		}
	}
	if rows == nil {
		return notMeasured
	}
	return table([]string{
		"VMs in one Application", "CPU s with vmrender", "CPU s with a plugin that costs nothing", "ratio",
		"CPU s with Argo CD's own Helm", "ratio",
	}, rows)
}

// Compared returns the table of ways.
func (p realPath) Compared() string {
	if len(p.Ways) == 0 {
		return notMeasured
	}
	var rows [][]string
	for _, r := range p.Ways {
		rendered := "rendered before"
		if r.Request.Commit {
			rendered = "new"
		}
		of := func(value func(answer) time.Duration) string { return seconds(of(r, value)) }
		rows = append(rows, []string{
			thousands(r.Size), r.By, string(r.Layout), rendered, of(wall), of(answer.all),
			of(plugin), of(cmpServer), of(repoServer), of(func(a answer) time.Duration { return a.Tools }),
			p.floor(r), p.share(r), mib(r, repoPeak), mib(r, peak), mib(r, message),
		})
	}
	return table([]string{
		"VMs", "rendered by", "input", "commit", "wall s", "CPU s of all", "of the plugin", "of cmp-server", "of repo-server",
		"of git, Helm, kustomize", "of a plugin that costs nothing", "of Argo CD's Helm",
		"peak MiB of repo-server", "of cmp-server", "manifests MiB",
	}, rows)
}

// floor returns the CPU time of the plugin as a multiple of that of the plugin that costs nothing, with the same input.
func (p realPath) floor(r *rendering) string {
	if r.By != byPlugin || !r.Request.Commit {
		return "–"
	}
	return times(p.overFloor(r.Layout, r.Size))
}

// share returns the CPU time of a rendering as a fraction of that of Argo CD's own Helm for as many virtual
// machines.
func (p realPath) share(r *rendering) string {
	helm := p.way(byHelm, oneFile, r.Size)
	if helm == nil || !r.Request.Commit {
		return "–"
	}
	return times(float64(of(r, answer.all)) / float64(of(helm, answer.all)))
}

// Controller returns a table of the cost of the application controller's comparison.
func (p realPath) Controller() string {
	var rows [][]string
	for _, r := range p.Ways {
		if r.Request.Compare && len(r.Answers) > 0 {
			cost := of(r, func(a answer) time.Duration { return a.Compare })
			rows = append(rows, []string{
				thousands(r.Size), r.By, string(r.Layout), number(float64(of(r, message)) / float64(r.Size)), duration(cost),
			})
		}
	}
	if rows == nil {
		return notMeasured
	}
	return table([]string{"VMs", "rendered by", "input", "bytes per VM", "CPU per VM"}, rows)
}

func mib(r *rendering, bytes func(answer) int64) string {
	return number(float64(of(r, bytes)) / (1 << 20))
}

// notMeasured replaces a table that the run did not measure.
const notMeasured = "Not measured in this run.\n"
