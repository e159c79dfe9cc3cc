// Package image builds the image as a user does, with make and a registry. It examines
// the result in the registry and in a container engine.
package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
