package build

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// These are paths in the image.
const (
	imagePrograms = "usr/local/bin"
	imagePlugin   = "home/argocd/cmp-server/config/plugin.yaml"
)

// assemble builds the image from the tree at root as a release does, unpacks it under dir, and returns its path.
func assemble(root, dir string, log io.Writer) (string, error) {
	source, unpacked := filepath.Join(dir, "source"), filepath.Join(dir, "image")
	if err := commit(root, source); err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	fmt.Fprintln(log, "assembling the image")
	digest, err := output(filepath.Join(root, "tools", "release"), ownGit(), "go", "run", "-mod=readonly",
		"-buildvcs=false", ".", "unpack", "-root", source, "-dir", unpacked, "-platform", "linux/"+runtime.GOARCH)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(log, "testing the image %s\n", digest)
	return unpacked, nil
}

// commit commits the files of the tree at root, including uncommitted ones, to a separate repository. An image is
// built from a commit, and Go reads it from a .git that is a directory.
func commit(root, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	const files = `git -c safe.directory=* ls-files -z --cached --others --exclude-standard --deduplicate |
		while IFS= read -r -d '' f; do if [[ -e $f || -L $f ]]; then printf '%s\0' "$f"; fi; done |
		tar --null --no-recursion -cf - -T - | tar -xf - -C "$0"`
	if _, err := output(root, os.Environ(), "bash", "-euo", "pipefail", "-c", files, dir); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "--all", "--force"},
		{
			"-c", "user.name=e2e", "-c", "user.email=e2e@example.com",
			"commit", "--quiet", "-m", "The tree that is tested",
		},
	} {
		if _, err := output(dir, ownGit(), "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// ownGit returns an environment in which git ignores the user's configuration.
func ownGit() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}

// output runs a command in a directory and returns its trimmed output.
func output(dir string, environment []string, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir, command.Env = dir, append(environment, "GOWORK=off")
	var stderr strings.Builder
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.String())
	}
	return strings.TrimSpace(string(text)), nil
}
