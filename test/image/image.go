// Package image builds the image as a user does, with make and a registry. It examines
// the result in the registry and in a container engine.
package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Clone clones the commit that is checked out at root.
func Clone(root, dir string) error {
	trust := filepath.Join(filepath.Dir(dir), "gitconfig")
	// A checkout may belong to another user, for example in a container of a CI system.
	if err := os.WriteFile(trust, []byte("[safe]\n\tdirectory = *\n"), 0o600); err != nil {
		return err
	}
	return run(exec.Command("git", "clone", "--quiet", root, dir), "GIT_CONFIG_GLOBAL="+trust)
}

// Make makes a target in a clone and returns the last line of its output.
func Make(dir string, args ...string) (string, error) {
	command := exec.Command("make", append([]string{"--no-print-directory", "-C", dir}, args...)...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err := run(command)
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	return lines[len(lines)-1], err
}

// run runs a command. Its error contains the command's stderr.
func run(command *exec.Cmd, environ ...string) error {
	var stderr bytes.Buffer
	command.Env, command.Stderr = append(os.Environ(), environ...), &stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, stderr.String())
	}
	return nil
}

// Files returns what an image contains, by path.
func Files(img v1.Image) (map[string]*tar.Header, map[string][]byte, error) {
	headers, contents := map[string]*tar.Header{}, map[string][]byte{}
	content := mutate.Extract(img)
	defer content.Close()
	for r := tar.NewReader(content); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents, nil
		}
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSuffix(header.Name, "/")
		headers[name] = header
		if contents[name], err = io.ReadAll(r); err != nil {
			return nil, nil, err
		}
	}
}

// Engine is a container engine (Debian's buildah) with its own storage and without a daemon.
type Engine struct{ dir string }

// NewEngine returns an engine that stores in a directory, or an error if buildah is
// not installed or cannot work here.
func NewEngine(dir string) (*Engine, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("buildah needs root to run containers without namespaces")
	}
	if _, err := exec.LookPath("buildah"); err != nil {
		return nil, errors.New("buildah is not installed: apt-get install buildah")
	}
	return &Engine{dir}, nil
}

// Do runs a command of the engine and returns its trimmed stdout.
func (e *Engine) Do(args ...string) (string, error) {
	global := []string{"--storage-driver", "vfs", "--root", filepath.Join(e.dir, "root"), "--runroot", filepath.Join(e.dir, "run")}
	command := exec.Command("buildah", append(global, args...)...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err := run(command)
	return strings.TrimSpace(stdout.String()), err
}

// Run runs a program in a container and returns its trimmed stdout, which must not be empty: on a busy computer,
// buildah 1.28.2 has lost all of it.
func (e *Engine) Run(container string, program ...string) (string, error) {
	args := append([]string{"run", "--isolation", "chroot", container, "--"}, program...)
	for range 10 {
		if printed, err := e.Do(args...); printed != "" || err != nil {
			return printed, err
		}
	}
	return "", fmt.Errorf("%s printed nothing", program[0])
}

// ProvideGo stores an image under the name that a Dockerfile builds in, because the real one may not be reachable. Its
// programs, such as Go and git, are those of this computer, which Build mounts.
func (e *Engine) ProvideGo(dockerfile string) error {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	from := regexp.MustCompile(`(?m)^FROM (golang:\S+) AS `).FindSubmatch(text)
	if from == nil {
		return fmt.Errorf("%s builds in no image of Go", dockerfile)
	}
	container, err := e.Do("from", "scratch")
	if err != nil {
		return err
	}
	dir, err := e.Do("mount", container)
	if err != nil {
		return err
	}
	for _, link := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+link, filepath.Join(dir, link)); err != nil {
			return err
		}
	}
	for _, made := range []string{"etc", "root", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, made), 0o777); err != nil {
			return err
		}
	}
	for _, v := range []string{"PATH=" + os.Getenv("PATH"), "HOME=/root", "GOPROXY=off", "GOTOOLCHAIN=local", "GOCACHE=/tmp/gocache", "GOMODCACHE=/tmp/gomodcache"} {
		if _, err := e.Do("config", "--env", v, container); err != nil {
			return err
		}
	}
	_, err = e.Do("commit", "--rm", container, string(from[1]))
	return err
}

// Build builds the Dockerfile in a directory, with the programs of this computer and the modules that Go has
// downloaded, and pushes the image to a registry without TLS.
func (e *Engine) Build(dir, tag string) error {
	args := []string{"bud", "--isolation", "chroot", "--pull-never", "--no-cache", "--tag", tag}
	for variable, at := range map[string]string{"GOROOT": "", "GOMODCACHE": "/tmp/gomodcache", "GOCACHE": "/tmp/gocache"} {
		found, err := exec.Command("go", "env", variable).Output()
		if err != nil {
			return err
		}
		path := strings.TrimSpace(string(found))
		args = append(args, "--volume", path+":"+cmp.Or(at, path))
	}
	if _, err := e.Do(append(args, "--volume", "/usr:/usr:ro", dir)...); err != nil {
		return err
	}
	_, err := e.Do("push", "--tls-verify=false", tag)
	return err
}

// Confined runs a program as a user in a root that no user can write to, with a
// directory to read and work in. Like container runtimes, it creates its mount
// points.
func Confined(root, user, work string, environ []string, program ...string) (string, error) {
	const script = `set -e
root=$1 user=$2 work=$3; shift 3
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/work"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$work" "$root/work"
mount -o remount,bind,ro "$root/work"
mount -o remount,bind,ro "$root"
exec unshare --root="$root" --wd=/work --setgid=0 --setuid="$user" "$@"`
	command := exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh", root, user, work}, program...)...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err := run(command, environ...)
	return stdout.String(), err
}
