package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// atSize is a command that works on a whole fleet or cluster. It is measured with a tenth of its size, too.
type atSize struct {
	Name  string  // of the command and its series
	Size  int     // virtual machines
	Limit float64 // of its CPU time, as a multiple of rendering the same virtual machines, or 0 for none
	Peak  float64 // of its memory, in MiB
	Args  func(dir inputs, n int) []string
}

// toolEnvironments validates a fleet with this many overlays.
const (
	toolEnvironments = "vmrender validate --environments"
	environments     = 5
)

// commandsAtSize are the commands. The limit of plans is that of the most expensive one (dearest).
var commandsAtSize = []atSize{
	{Name: toolLive, Size: planSize, Peak: 1280, Args: func(dir inputs, n int) []string {
		return []string{"plan", dir.plan(n, n/100), "--from", "HEAD", "--live", dir.export(n)}
	}},
	{Name: "vmrender status", Size: 10_000, Limit: 8, Peak: 2048, Args: func(dir inputs, n int) []string {
		return []string{"status", dir.fleet(n, filePerVM), "--live", dir.export(n)}
	}},
	{Name: "vmrender report", Size: 10_000, Limit: 2.5, Peak: 512, Args: func(dir inputs, n int) []string {
		return []string{"report", dir.fleet(n, filePerVM)}
	}},
	{Name: "vmrender import", Size: 5_000, Limit: 18, Peak: 1792, Args: func(dir inputs, n int) []string {
		return []string{"import", dir.foreign(n), "--name", "bench"}
	}},
	{Name: toolEnvironments, Size: 2_000, Limit: 1.2 * environments, Peak: 160, Args: func(dir inputs, n int) []string {
		return []string{"validate", dir.fleet(n, filePerVM), "--environments", dir.overlays(), "--output", "json"}
	}},
}

func (c atSize) sizes() []int { return []int{c.Size / 10, c.Size} }

// overlays returns the directory of the overlays.
func (dir inputs) overlays() string { return filepath.Join(string(dir), "environments") }

// writeCommands creates the inputs of the commands that work on fleets of up to most virtual machines.
func (dir inputs) writeCommands(ctx context.Context, bin tools, most int) error {
	for _, c := range commandsAtSize {
		if c.Size > most {
			continue
		}
		for _, n := range c.sizes() {
			if err := dir.writeCluster(ctx, bin, n); err != nil {
				return err
			}
		}
	}
	return writeOverlays(dir.overlays())
}

// writeCluster writes a fleet and the exports of clusters that have it, if they do not exist.
func (dir inputs) writeCluster(ctx context.Context, bin tools, n int) error {
	root := dir.fleet(n, filePerVM)
	if _, err := os.Stat(root); os.IsNotExist(err) {
		if err := writeFleet(root, n, filePerVM); err != nil {
			return err
		}
	}
	if _, err := os.Stat(dir.export(n)); err == nil {
		return nil
	}
	fleet := dir.vmrender(bin, n, filePerVM, "json")
	return firstFailure(
		func() error { return writeExport(ctx, fleet, dir.export(n), managed) },
		func() error { return writeExport(ctx, fleet, dir.foreign(n), unmanaged) },
	)
}

// writeOverlays writes an overlay for each environment. Each changes all virtual machines.
func writeOverlays(root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for i := range environments {
		text := fmt.Sprintf("environment: env%d\ndefaults:\n  cloudInit: {packages: [qemu-guest-agent, tool%d]}\n", i, i)
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("env%d.yaml", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// withCommands returns the series with those of the commands, and of the renderings that they are compared with.
func (dir inputs) withCommands(all []*series, bin tools, opts options) []*series {
	rounds := slowRounds(opts.Rounds)
	add := func(tool, format string, n, rounds int, call command) {
		same := func(s *series) bool {
			return s.Tool == tool && s.Layout == filePerVM && s.Format == format && s.Size == n
		}
		if !slices.ContainsFunc(all, same) {
			all = append(all, &series{Tool: tool, Layout: filePerVM, Format: format, Size: n, Rounds: rounds, Command: call})
		}
	}
	render := func(n int) {
		add(toolVmrender, "json", n, cheapRounds(rounds, n), dir.vmrender(bin, n, filePerVM, "json"))
	}
	render(1)
	for _, c := range commandsAtSize {
		if c.Size > opts.Most {
			continue
		}
		for _, n := range c.sizes() {
			render(n)
			add(c.Name, "text", n, rounds, command{Path: bin.Vmrender, Args: c.Args(dir, n)})
		}
	}
	return append(all, dir.plans(bin, opts.Most, rounds)...)
}

// isCommand reports whether a series measures one of the commands.
func (s *series) isCommand() bool {
	return slices.ContainsFunc(commandsAtSize, func(c atSize) bool { return c.Name == s.Tool })
}

// growth returns the growth exponent of the command from a tenth of its size, or NaN if it was not measured. The start
// cost is that of rendering one virtual machine.
func (c atSize) growth(all []*series) float64 {
	start := find(all, toolVmrender, filePerVM, "json", 1)
	few, many := c.series(all, c.Size/10), c.series(all, c.Size)
	if start == nil || few == nil || many == nil {
		return math.NaN()
	}
	return exponent(start.cpu(), few.cpu(), many.cpu(), c.Size/10, c.Size)
}

func (c atSize) series(all []*series, n int) *series { return find(all, c.Name, filePerVM, "text", n) }

// renders returns the CPU time of the command as a multiple of rendering the same virtual machines.
func (c atSize) renders(all []*series, n int) float64 {
	return cpuRatio(c.series(all, n), find(all, toolVmrender, filePerVM, "json", n))
}

// commandTargets returns the targets of the commands.
func commandTargets(all []*series) []target {
	var judged []target
	for _, c := range commandsAtSize {
		if c.Limit > 0 {
			judged = append(judged, target{
				Metric: fmt.Sprintf("%s of %s VMs: CPU of rendering them", c.Name, thousands(c.Size)),
				Value:  c.renders(all, c.Size), Limit: c.Limit, Unit: " times", Gate: ratio,
			})
		}
		judged = append(judged, target{
			Metric: fmt.Sprintf("%s: growth exponent, %s to %s VMs", c.Name, thousands(c.Size/10), thousands(c.Size)),
			Value:  c.growth(all), Limit: 1.15, Gate: ratio,
		}, target{
			Metric: fmt.Sprintf("%s of %s VMs: peak memory", c.Name, thousands(c.Size)),
			Value:  mebibytes(c.series(all, c.Size)), Limit: c.Peak, Unit: " MiB", Gate: ratio,
		})
	}
	return judged
}

// Commands returns the table of the commands.
func (r report) Commands() string {
	var rows [][]string
	for _, c := range commandsAtSize {
		for _, n := range c.sizes() {
			s := c.series(r.Series, n)
			if s == nil {
				continue
			}
			exponent := "–"
			if n == c.Size {
				exponent = fraction(c.growth(r.Series))
			}
			rows = append(rows, []string{
				c.Name, thousands(n), seconds(s.cpu()), seconds(s.wall()), number(mebibytes(s)),
				times(c.renders(r.Series, n)), exponent,
			})
		}
	}
	if rows == nil {
		return notMeasured
	}
	return table([]string{
		"command", "VMs", "CPU s", "wall s", "peak MiB", "CPU of `vmrender template`", "growth exponent",
	}, rows)
}

// Environments returns the number of overlays that a fleet is validated with.
func (report) Environments() int { return environments }
