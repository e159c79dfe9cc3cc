package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

// rehearsed is the version of rehearsed releases.
const rehearsed = "v0.0.0-dry"

// rehearse makes and verifies a release of the checked-out commit. It uses a clone with
// its own tag, a new key, and a temporary registry. The release does not include
// uncommitted changes.
func rehearse(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var r release
	root := flags.String("root", ".", "directory of the repository")
	flags.StringVar(&r.dist, "dist", "dist", "directory of the files that users would download")
	flags.StringVar(&r.tools.dir, "tools", "bin", "directory of cosign, syft and helm")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vmrender-dry-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.root = filepath.Join(dir, "clone")
	if err := clone(ctx, *root, r.root); err != nil {
		return err
	}
	if r.tools.key, err = key(ctx, r.tools.dir, dir); err != nil {
		return err
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)))
	defer server.Close()
	r.registry = strings.TrimPrefix(server.URL, "http://") + "/vmrender"
	return r.make(ctx, rehearsed)
}

// clone clones a repository without its tags and tags the commit.
func clone(ctx context.Context, root, dir string) error {
	for _, args := range [][]string{
		{"clone", "--quiet", "--no-tags", root, dir},
		{"-C", dir, "tag", rehearsed},
	} {
		if output, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, output)
		}
	}
	return nil
}

// key creates a key pair without a password and returns the file of the private key.
func key(ctx context.Context, tools, dir string) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(tools, "cosign"), "generate-key-pair")
	command.Dir, command.Env = dir, append(os.Environ(), "COSIGN_PASSWORD=")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("making a key: %w\n%s", err, output)
	}
	return filepath.Join(dir, "cosign.key"), nil
}
