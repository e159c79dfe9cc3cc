package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/vmrender/vmrender/tools/release/archive"
	"github.com/vmrender/vmrender/tools/release/image"
	"github.com/vmrender/vmrender/tools/release/license"
	"github.com/vmrender/vmrender/tools/release/program"
)

// cli is the command that users install. The other command runs only in the image.
const cli = "./cmd/vmrender"

// released matches the versions of releases. Go derives other versions from commits
// without a tag, and appends "+dirty" for uncommitted changes.
var (
	released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	derived  = regexp.MustCompile(`\d{14}-[0-9a-f]{12}$`)
)

// completions returns the name of the completion file of each shell.
func completions() map[string]string {
	return map[string]string{
		"bash": "vmrender.bash", "fish": "vmrender.fish", "powershell": "vmrender.ps1", "zsh": "_vmrender",
	}
}

// platforms returns the platforms of the CLI.
func platforms() []program.Platform {
	var list []program.Platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		list = append(list, program.Platform{OS: system, Arch: "amd64"}, program.Platform{OS: system, Arch: "arm64"})
	}
	return list
}

// release is a release in progress.
type release struct {
	root     string // of the repository
	dist     string // directory of the files that users download
	registry string // prefix of the names of the image and the charts
	tools    tools
	info     program.Info
}

// publish makes a release of the checkout's tag and verifies it.
func publish(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var r release
	flags.StringVar(&r.root, "root", ".", "directory of the repository")
	flags.StringVar(&r.dist, "dist", "dist", "directory of the files that users download")
	flags.StringVar(&r.registry, "registry", "", "prefix of the names of the image and the charts")
	flags.StringVar(&r.tools.dir, "tools", "bin", "directory of cosign, syft and helm")
	flags.StringVar(&r.tools.key, "key", "", "private key of cosign; as the workflow if there is none")
	version := flags.String("version", "", "tag that is checked out; not checked if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.registry == "" {
		return errors.New("no registry; set REGISTRY, such as registry.example.com/vmrender")
	}
	return r.make(ctx, *version)
}

// make makes everything in the order in which it can be published, so that users find
// only complete and signed files.
func (r *release) make(ctx context.Context, version string) error {
	repository, err := name.NewRepository(r.registry+"/vmrender", name.StrictValidation)
	if err != nil {
		return fmt.Errorf("invalid registry %q: %w", r.registry, err)
	}
	r.tools.plain = repository.Scheme() == "http"
	if err := os.RemoveAll(r.dist); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	scripts, err := r.completions(ctx)
	if err != nil {
		return err
	}
	if err := r.check(version); err != nil {
		return err
	}
	for _, p := range platforms() {
		if err := r.pack(ctx, p, scripts); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{r.pushImage, r.pushCharts, r.formula, r.checksums, r.verify} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(os.Stderr, "%s is in %s and %s, and verified\n", r.info.Version, r.dist, r.registry)
	return err
}

// check returns an error if the checkout is not that of a release.
func (r *release) check(version string) error {
	switch found := r.info.Version; {
	case r.info.Modified:
		return errors.New("the checkout has changes that are not committed; commit or stash them")
	case !released.MatchString(found) || derived.MatchString(found):
		return fmt.Errorf("the commit has no tag of a release (Go calls it %s); expected one such as v1.2.3", found)
	case version != "" && version != found:
		return fmt.Errorf("the commit is %s, not %s; check that tag out", found, version)
	}
	return nil
}

// completions returns the scripts that complete command lines, by file name, from the
// program for this machine. It also reads Go's record.
func (r *release) completions(ctx context.Context) (map[string]archive.File, error) {
	dir, err := os.MkdirTemp("", "vmrender-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	here := program.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if err := here.Build(ctx, r.root, dir, cli); err != nil {
		return nil, err
	}
	built := filepath.Join(dir, here.File("vmrender"))
	if r.info, err = program.Read(built); err != nil {
		return nil, err
	}
	scripts := map[string]archive.File{}
	for shell, file := range completions() {
		script, err := exec.CommandContext(ctx, built, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion for %s: %w", shell, err)
		}
		scripts["completions/"+file] = archive.File{Data: script, Mode: 0o644}
	}
	return scripts, nil
}

// pack builds the CLI for a platform and writes its archive and its software bill of materials.
func (r *release) pack(ctx context.Context, p program.Platform, scripts map[string]archive.File) error {
	dir, err := os.MkdirTemp("", "vmrender-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.Build(ctx, r.root, dir, cli); err != nil {
		return err
	}
	built := filepath.Join(dir, p.File("vmrender"))
	bill, err := r.tools.sbom(ctx, "file", built, "vmrender", r.info.Version)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	files := map[string]archive.File{p.File("vmrender"): {Data: data, Mode: 0o755}}
	for name, script := range scripts {
		files[name] = script
	}
	texts, err := license.Collect(ctx, r.root, p, cli)
	if err != nil {
		return err
	}
	for name, text := range texts {
		// Windows allows no colon and no asterisk in file names. Names of modules have neither.
		files["licenses/"+name] = archive.File{Data: text, Mode: 0o644}
	}
	pack := archive.TarGz
	if p.OS == "windows" {
		pack = archive.Zip
	}
	packed, err := pack(files, r.info.Date)
	if err != nil {
		return err
	}
	if err := r.write(archiveName(r.info.Version, p), packed); err != nil {
		return err
	}
	return r.write(billName(r.info.Version, p), bill)
}

// archiveName returns the file name of a platform's archive.
func archiveName(version string, p program.Platform) string {
	if p.OS == "windows" {
		return stem(version, p) + ".zip"
	}
	return stem(version, p) + ".tar.gz"
}

// billName returns the file name of a platform's software bill of materials.
func billName(version string, p program.Platform) string { return stem(version, p) + ".spdx.json" }

func stem(version string, p program.Platform) string {
	return "vmrender_" + version + "_" + p.OS + "_" + p.Arch
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.dist, name), data, 0o644)
}

// pushImage pushes the image under its version, and signs it and its software bill of materials.
func (r *release) pushImage(ctx context.Context) error {
	tag, err := name.NewTag(r.registry+"/vmrender:"+r.info.Version, name.StrictValidation)
	if err != nil {
		return err
	}
	source := image.Source{Root: r.root, Base: bases(ctx, ""), Platforms: []program.Platform{
		{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"},
	}}
	pushed, _, err := push(ctx, source, tag)
	if err != nil {
		return err
	}
	if err := r.write("image.txt", []byte(pushed.String()+"\n")); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vmrender-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := source.Platforms[0].Build(ctx, r.root, dir, image.Commands); err != nil {
		return err
	}
	bill, err := r.tools.sbom(ctx, "dir", dir, "vmrender", r.info.Version)
	if err != nil {
		return err
	}
	if err := r.write("image.spdx.json", bill); err != nil {
		return err
	}
	if err := r.tools.sign(ctx, "sign", "--recursive", pushed.String()); err != nil {
		return err
	}
	return r.tools.sign(ctx, "attest", "--type", "spdxjson",
		"--predicate", filepath.Join(r.dist, "image.spdx.json"), pushed.String())
}

// checksums writes the sums of all files, as sha256sum does, and signs them.
// This covers everything that users download.
func (r *release) checksums(ctx context.Context) error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(r.dist, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	if err := r.write("checksums.txt", []byte(sums.String())); err != nil {
		return err
	}
	return r.tools.sign(ctx, "sign-blob", "--bundle", filepath.Join(r.dist, "checksums.txt.sigstore.json"),
		filepath.Join(r.dist, "checksums.txt"))
}

// formula writes Homebrew's formula.
func (r *release) formula(context.Context) error {
	var text bytes.Buffer
	if err := formula().Execute(&text, formulaData{r.info.Version, r.dist}); err != nil {
		return err
	}
	return r.write("vmrender.rb", text.Bytes())
}

// charts returns the directories of the charts.
func (r *release) charts() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(r.root, "charts", "*", "Chart.yaml"))
	if err == nil && len(files) == 0 {
		err = errors.New("there are no charts")
	}
	var dirs []string
	for _, file := range files {
		dirs = append(dirs, filepath.Dir(file))
	}
	slices.Sort(dirs)
	return dirs, err
}
