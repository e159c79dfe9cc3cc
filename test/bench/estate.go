package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// An estate is a git repository of estateSize virtual machines in directories
// of 100. Ten of these are in one directory of 1,000: vms/3/07 has the VMs
// 3,700 to 3,799.
const estateSize = 10_000

// shard is a way to divide an estate into Applications.
type shard struct {
	Size int    // virtual machines in each
	Path string // of the Application that is measured
}

var shards = []shard{{100, "vms/3/07"}, {1_000, "vms/3"}, {estateSize, "."}}

// estate returns the directory of the estate that consists of fleets of this
// many virtual machines each.
func (dir inputs) estate(fleet int, spread layout) string {
	return filepath.Join(string(dir), fmt.Sprintf("estate-%d-%t", fleet, spread == oneFile))
}

// writeEstate writes the files of an estate.
func (dir inputs) writeEstate(fleet int, spread layout) error {
	root := dir.estate(fleet, spread)
	for first := 0; first < estateSize; first += 100 {
		inside := filepath.Join(root, "vms", strconv.Itoa(first/1000), fmt.Sprintf("%02d", first/100%10))
		if err := writeHundred(inside, first, spread); err != nil {
			return err
		}
		header := map[int]string{100: inside, 1_000: filepath.Dir(inside), estateSize: root}[fleet]
		if err := os.WriteFile(filepath.Join(header, "fleet.yaml"), fleetHeader, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeHundred writes 100 virtual machines, starting at number first.
func writeHundred(dir string, first int, spread layout) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text := []byte("vms:\n")
	for i := first; i < first+100; i++ {
		vm := newMachine(i)
		text = vm.appendFleet(text)
		if spread == oneFile && i < first+99 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, vm.Name+".yaml"), text, 0o644); err != nil {
			return err
		}
		text = append(text[:0], "vms:\n"...)
	}
	return nil
}

// commit makes a git repository of the directory. It turns off git's later
// maintenance, which would disturb other measurements.
func commit(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false", "-c", "maintenance.auto=false", "commit", "--quiet", "--message=An estate"},
	} {
		if err := git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// pack puts all objects of the repository into one pack, as in a clone: a server sends packs.
func pack(ctx context.Context, dir string) error {
	return git(ctx, dir, "repack", "-a", "-d", "--quiet")
}

// git calls git in a directory.
func git(ctx context.Context, dir string, args ...string) error {
	call := exec.CommandContext(ctx, "git", args...)
	call.Dir = dir
	if text, err := call.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, text)
	}
	return nil
}

// writeEstates writes all estates and commits everything in each.
func (dir inputs) writeEstates(ctx context.Context) error {
	for _, r := range dir.throughRepoServer(1) {
		root := r.Request.Repository
		if _, err := os.Stat(root); err == nil {
			continue
		}
		err := firstFailure(
			func() error { return dir.writeEstate(estateSize/r.Fleets, r.Layout) },
			func() error { return commit(ctx, root) },
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// throughCMPServer returns the fleets of up to most virtual machines, one
// Application each.
func (dir inputs) throughCMPServer(most, rounds int) []*rendering {
	var all []*rendering
	for _, n := range []int{1, 100, 1_000, 10_000} {
		if n <= most {
			all = append(all, &rendering{
				Size: n, Layout: filePerVM, Fleets: 1, Rounds: slowRounds(rounds), Applications: 1,
				Request: request{Repository: dir.fleet(n, filePerVM), Path: ".", Calls: calls(n), WarmUps: 1}, // without git
			})
		}
	}
	return all
}

// calls returns the number of renderings of n virtual machines that are
// measured as one, because CPU times are exact to 10 ms.
func calls(n int) int { return max(1, min(30, 3_000/n)) }

// estateRounds is how often those of an estate are rendered: there is no limit for them.
const estateRounds = 2

// throughRepoServer returns the Applications of the estates: those of one
// fleet, which is sent whole for each of them, and those that are fleets of
// their own.
func (dir inputs) throughRepoServer(rounds int) []*rendering {
	var all []*rendering
	add := func(s shard, fleet int, spread layout) {
		all = append(all, &rendering{
			Size: s.Size, Layout: spread, Fleets: estateSize / fleet, Rounds: min(rounds, estateRounds), Applications: estateSize / s.Size,
			Request: request{
				Repository: dir.estate(fleet, spread), Path: s.Path, Paths: generatePaths(s, fleet), Git: true, Calls: calls(10 * fleet),
				WarmUps: spread.warmUps(),
			},
		})
	}
	for _, spread := range []layout{filePerVM, oneFile} {
		for _, s := range shards {
			add(s, estateSize, spread)
		}
	}
	for _, s := range shards[:2] {
		add(s, s.Size, filePerVM)
	}
	return all
}

// generatePaths returns the manifest-generate-paths of an Application: its
// directory and that of its fleet.yaml.
func generatePaths(s shard, fleet int) string {
	if s.Size == fleet {
		return "."
	}
	return ".;/fleet.yaml"
}
