package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// The repository of many Applications has this many directories, an Application for each, and 3,000 virtual machines:
// the size of the report in argo-cd issue 18810.
const (
	applications   = 500
	perApplication = 6
)

// statusProcessors is the number of Applications that the application controller refreshes at the same time, by
// default (argo-cd v3.2.11, cmd/argocd-application-controller, --status-processors).
const statusProcessors = 20

// setup is a way to set the repository of many Applications up.
type setup struct {
	What     string // as the table names it
	Files    string // as the table describes them
	Tree     tree
	Annotate bool // with the paths that "vmrender app --generate-paths" prints, or those of a plain directory
	Manifest bool // Argo CD reads manifests instead of calling the plugin
}

// tree is a layout of the repository. It is a part of the name of its directory.
type tree string

const (
	fileEach      tree = "file-each"      // one fleet, a file per VM
	directoryFile tree = "directory-file" // one fleet, a file per directory
	fleetEach     tree = "fleet-each"     // a fleet per directory, a file per VM
	manifestEach  tree = "manifest-each"  // rendered manifests, a file per VM
)

var setups = []setup{
	{What: "one fleet", Files: "one per VM", Tree: fileEach},
	{What: "one fleet", Files: "one per VM", Tree: fileEach, Annotate: true},
	{What: "one fleet", Files: "one per directory", Tree: directoryFile, Annotate: true},
	{What: "a fleet per directory", Files: "one per VM", Tree: fleetEach, Annotate: true},
	{What: "manifests in Git", Files: "one per VM", Tree: manifestEach, Manifest: true},
	{What: "manifests in Git", Files: "one per VM", Tree: manifestEach, Manifest: true, Annotate: true},
}

// applicationsFor returns the number of Applications in a run with fleets of at most this many virtual machines.
func applicationsFor(most int) int { return max(2, min(applications, most/perApplication)) }

// directory returns the path of an Application's directory in the repository.
func directory(i int) string { return fmt.Sprintf("vms/%03d", i) }

func directories(count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = directory(i)
	}
	return all
}

// many returns the repository of many Applications with one layout.
func (dir inputs) many(t tree) string { return filepath.Join(string(dir), "many-"+string(t)) }

// files returns the files of a layout that affect all Applications, and one that affects only the last of them.
func (t tree) files(count int) (everything []string, single string) {
	vm := func(i, n int) string { return newMachine(i*perApplication+n).Name + ".yaml" }
	single = filepath.Join(directory(count-1), vm(count-1, 0))
	switch t {
	case directoryFile:
		return []string{"fleet.yaml"}, filepath.Join(directory(count-1), "vms.yaml")
	case fleetEach:
		for _, path := range directories(count) {
			everything = append(everything, filepath.Join(path, "fleet.yaml"))
		}
		return everything, single
	case manifestEach:
		for i := range count {
			for n := range perApplication {
				everything = append(everything, filepath.Join(directory(i), "vms", vm(i, n)))
			}
		}
		return everything, filepath.Join(directory(count-1), "vms", vm(count-1, 0))
	}
	return []string{"fleet.yaml"}, single
}

// writeMany writes and commits the repository of one layout.
func (dir inputs) writeMany(ctx context.Context, bin tools, t tree, count int) error {
	root := dir.many(t)
	write := func() error { return dir.writeTree(t, root, count) }
	if t == manifestEach {
		write = func() error { return renderTree(ctx, bin, dir.many(fileEach), root, count) }
	}
	return firstFailure(
		write,
		func() error { return commit(ctx, root) },
		func() error { return pack(ctx, root) },
	)
}

// writeTree writes the files of one or many fleets.
func (dir inputs) writeTree(t tree, root string, count int) error {
	for i := range count {
		inside := filepath.Join(root, directory(i))
		if err := writeDirectory(inside, i, t == directoryFile); err != nil {
			return err
		}
		if t == fleetEach {
			if err := os.WriteFile(filepath.Join(inside, "fleet.yaml"), fleetHeader, 0o644); err != nil {
				return err
			}
		}
	}
	if t == fleetEach {
		return nil
	}
	return os.WriteFile(filepath.Join(root, "fleet.yaml"), fleetHeader, 0o644)
}

// writeDirectory writes the virtual machines of one Application to one file or a file each.
func writeDirectory(inside string, i int, together bool) error {
	if err := os.MkdirAll(inside, 0o755); err != nil {
		return err
	}
	text := []byte("vms:\n")
	for n := range perApplication {
		vm := newMachine(i*perApplication + n)
		if together {
			text = vm.appendFleet(text)
			continue
		}
		alone := vm.appendFleet([]byte("vms:\n"))
		if err := os.WriteFile(filepath.Join(inside, vm.Name+".yaml"), alone, 0o644); err != nil {
			return err
		}
	}
	if together {
		return os.WriteFile(filepath.Join(inside, "vms.yaml"), text, 0o644)
	}
	return nil
}

// renderTree renders each directory of a fleet into the directory of the same name under root.
func renderTree(ctx context.Context, bin tools, fleet, root string, count int) error {
	for _, path := range directories(count) {
		target := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		render := command{Path: bin.Vmrender, Args: []string{"template", filepath.Join(fleet, path), "--output-dir", target}}
		if _, err := render.output(ctx); err != nil {
			return err
		}
	}
	return nil
}

// printedPaths returns the manifest-generate-paths of the Application of a directory, as vmrender prints them.
func (dir inputs) printedPaths(ctx context.Context, bin tools, t tree) (string, error) {
	if t == manifestEach {
		return ".", nil // what an administrator writes into an Application of a plain directory
	}
	text, err := command{
		Path: bin.Vmrender,
		Args: []string{
			"app", filepath.Join(dir.many(t), directory(0)), "--generate-paths", "--name", "bench-0",
			"--repo", "https://git.example.com/vms.git",
		},
	}.output(ctx)
	if err != nil {
		return "", err
	}
	var application struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := yaml.Unmarshal(text, &application); err != nil {
		return "", err
	}
	paths := application.Metadata.Annotations["argocd.argoproj.io/manifest-generate-paths"]
	if paths == "" || strings.Contains(paths, directory(0)) {
		err = errors.New("the paths of the Application are not those of every directory: " + paths)
	}
	return paths, err
}

// throughMany returns the refreshes of a setup, in this order: after a commit that changes everything, and after one
// that changes one directory.
func (dir inputs) throughMany(s setup, paths string, count int) []*rendering {
	everything, single := s.Tree.files(count)
	all := make([]*rendering, 0, 2)
	for _, files := range [][]string{everything, {single}} {
		all = append(all, &rendering{
			Size: perApplication, Rounds: 1, Applications: count,
			Request: request{
				Repository: dir.many(s.Tree), Path: directory(0), Paths: paths,
				Git: true, Native: s.Manifest, Cached: true, Calls: 1, WarmUps: filePerVM.warmUps(),
				Refresh: &refresh{
					Directories: directories(count), Files: files, Parallel: statusProcessors, Recurse: s.Manifest,
				},
			},
		})
	}
	return all
}

// refreshed is the cost of both commits in one setup.
type refreshed struct {
	setup
	Everything, Single *rendering
}

// measureMany measures all setups, each with new servers.
func (dir inputs) measureMany(ctx context.Context, opts options, bin tools) ([]refreshed, error) {
	count := applicationsFor(opts.Most)
	for _, t := range []tree{fileEach, directoryFile, fleetEach, manifestEach} {
		if err := dir.writeMany(ctx, bin, t, count); err != nil {
			return nil, err
		}
	}
	var all []refreshed
	for i, s := range setups {
		paths := ""
		if s.Annotate {
			var err error
			if paths, err = dir.printedPaths(ctx, bin, s.Tree); err != nil {
				return nil, err
			}
		}
		both := dir.throughMany(s, paths, count)
		if err := measureOnce(ctx, opts.Root, string(dir), bin, both); err != nil {
			return nil, err
		}
		all = append(all, refreshed{s, both[0], both[1]})
		say("refreshed %s Applications in %d of %d ways", thousands(count), i+1, len(setups))
	}
	return all, nil
}

// Many returns the table of the setups.
func (p realPath) Many() string {
	if len(p.Refreshed) == 0 {
		return notMeasured
	}
	var rows [][]string
	for _, r := range p.Refreshed {
		row := []string{r.What, r.Files, r.annotated()}
		for _, one := range []*rendering{r.Everything, r.Single} {
			row = append(row, thousands(one.Answers[0].Rendered), seconds(of(one, answer.all)), seconds(of(one, wall)))
		}
		rows = append(rows, append(row, mib(r.Everything, peak), mib(r.Everything, repoPeak)))
	}
	return table([]string{
		"source", "files", "`manifest-generate-paths`", "commit to all: rendered", "CPU s", "wall s",
		"commit to one directory: rendered", "CPU s", "wall s", "peak MiB of cmp-server", "of repo-server",
	}, rows)
}

// manyTargets returns the target of what a commit to one directory renders if Applications have the annotation.
func manyTargets(path realPath) []target {
	most := 0
	for _, r := range path.Refreshed {
		if r.Annotate {
			most = max(most, r.Single.Answers[0].Rendered)
		}
	}
	return []target{target{
		Metric: "commit to one directory of many, with manifest-generate-paths: rendered Applications",
		Value:  float64(most), Limit: 1, Gate: ratio,
	}.ifMeasured(len(path.Refreshed) > 0)}
}

// annotated returns the manifest-generate-paths of a setup for the table.
func (r refreshed) annotated() string {
	if paths := r.Everything.Request.Paths; paths != "" {
		return "`" + paths + "`"
	}
	return "–"
}

// ManyApplications returns the number of Applications of the repository, or of those of a full run if they were not
// measured.
func (p realPath) ManyApplications() int {
	if len(p.Refreshed) == 0 {
		return applications
	}
	return p.Refreshed[0].Everything.Applications
}

// ManyVMs returns the number of their virtual machines.
func (p realPath) ManyVMs() int { return p.ManyApplications() * perApplication }

// PerApplication returns the number of virtual machines of each.
func (realPath) PerApplication() int { return perApplication }

// Parallel returns the number of Applications that are refreshed at the same time.
func (realPath) Parallel() int { return statusProcessors }
