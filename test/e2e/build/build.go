// Package build builds the programs that the tests start. Those of this
// repository are built for every run, as files of the image that is released.
// Third-party programs are built once, into the user's cache.
package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// program is a program that Go builds.
type program struct {
	name    string
	module  string // directory of its module, from the repository's root
	pkg     string
	ldflags string
	// sources is the directory of our files that the program is built from,
	// relative to the root, in addition to the modules it names.
	sources string
}

// kubernetes is the version that the control plane reports; without it, the
// modules would report v0.0.0.
const kubernetes = "-X k8s.io/component-base/version.gitVersion=v1.36.3" +
	" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36"

// others returns the programs that change only with their modules.
func others() []program {
	const controlplane = "test/e2e/controlplane"
	return []program{
		{"etcd", controlplane, "go.etcd.io/etcd/server/v3", "", controlplane},
		{"kube-apiserver", controlplane, "k8s.io/kubernetes/cmd/kube-apiserver", kubernetes, controlplane},
		{"kube-controller-manager", controlplane, "k8s.io/kubernetes/cmd/kube-controller-manager", kubernetes, controlplane},
		{"kubectl", "test/e2e/kubectl", ".", "", "test/e2e/kubectl"},
		{"argocd", "test/argocd", "./cmd/argocd", "", "test/argocd/cmd/argocd"},
		{"virt-api", "test/admission/kubevirt", "./serve", "", "test/admission"},
		{"virt-controller", "test/admission/kubevirt", "./controller", "", "test/admission"},
		{"cdi-apiserver", "test/admission/cdi", "./serve", "", "test/admission"},
	}
}

// ours returns the programs under test. They are taken from the image.
func ours() []string { return []string{"vmrender", "vmrender-cmp"} }

// Plugin is the name of the plugin's configuration among the paths of programs.
const Plugin = "plugin.yaml"

// All builds every program of the repository at root and returns their paths by
// name. The programs under test go into dir, as the files of the plugin's image.
func All(root, dir string, log io.Writer) (map[string]string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	cache = filepath.Join(cache, "vmrender-e2e")
	unlock, err := lock(cache)
	if err != nil {
		return nil, err
	}
	defer unlock()
	image, err := assemble(root, dir, log)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{Plugin: filepath.Join(image, imagePlugin)}
	for _, name := range ours() {
		paths[name] = filepath.Join(image, imagePrograms, name)
	}
	for _, p := range others() {
		if paths[p.name], err = p.cached(root, cache, log); err != nil {
			return nil, err
		}
	}
	paths["redis-server"], err = redis(log)
	return paths, err
}

// lock lets one run of the tests at a time build, so that the others find what it has built. It
// returns a function that ends this.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	return func() { _ = file.Close() }, unix.Flock(int(file.Fd()), unix.LOCK_EX) //nolint:errcheck // nothing is written
}

// cached returns the path of the program in the cache, and builds it if it is not there.
func (p program) cached(root, cache string, log io.Writer) (string, error) {
	hash, err := p.hash(root)
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, hash, p.name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, p.build(root, path, log)
}

// build compiles the program. The file appears at its path only when it is
// complete.
func (p program) build(root, path string, log io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	command := exec.Command("go", p.arguments(part)...)
	command.Dir = filepath.Join(root, p.module)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	fmt.Fprintf(log, "building %s\n", p.name)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", p.name, err, output)
	}
	return os.Rename(part, path)
}

// arguments returns the arguments of go. The flags are the same for all
// programs, so that they share Go's build cache.
func (p program) arguments(output string) []string {
	return []string{
		"build", "-mod=readonly", "-buildvcs=false", "-trimpath",
		"-ldflags", strings.TrimSpace("-s -w " + p.ldflags), "-o", output, p.pkg,
	}
}

// hash returns a hash of everything that the program is built from: the versions
// of its modules, the flags, and our files.
func (p program) hash(root string) (string, error) {
	files := []string{filepath.Join(root, p.module, "go.mod"), filepath.Join(root, p.module, "go.sum")}
	err := filepath.WalkDir(filepath.Join(root, p.sources), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, goVersion(), p.arguments(p.name))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", file[len(root):], len(content), content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// goVersion returns the version of the go command, which may differ from that of
// the tests.
func goVersion() string {
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(version))
}

// redis finds redis-server, or installs Debian's package that contains it. It
// installs the tools package, because the other one starts a server. The file in
// that package acts as the server if it is called by that name.
func redis(log io.Writer) (string, error) {
	const packaged = "/usr/bin/redis-check-rdb"
	if path, err := exec.LookPath("redis-server"); err == nil {
		return path, nil
	}
	if _, err := os.Stat(packaged); err == nil {
		return packaged, nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return "", errors.New("no redis-server in PATH, and it can be installed only by root with apt-get: install Redis")
	}
	fmt.Fprintln(log, "installing redis-tools")
	for _, arguments := range [][]string{{"update"}, {"install", "--yes", "--no-install-recommends", "redis-tools"}} {
		command := exec.Command("apt-get", arguments...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if output, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("apt-get %q: %w\n%s", slices.Concat(arguments), err, output)
		}
	}
	return packaged, nil
}
