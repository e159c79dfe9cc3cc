package editor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience is the longest time that an answer may take on a busy machine.
const patience = 2 * time.Minute

var (
	language *server // shared by all tests
	product  string  // the program of this repository
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run installs and starts the language server, builds the product, and runs the tests.
// Without Node.js it skips the tests, except in continuous integration, where it fails.
func run(m *testing.M) int {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("CI") != "true" {
			fmt.Fprintf(os.Stderr, "SKIP: yaml-language-server needs %s, which is not installed\n", program)
			return 0
		}
		panic(program + " is not installed")
	}
	code := 1
	if err := with(func() { code = m.Run() }); err != nil {
		panic(err)
	}
	return code
}

// with calls f after building the product and starting the language server.
func with(f func()) error {
	bin, err := os.MkdirTemp("", "editor")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	product = filepath.Join(bin, "vmrender")
	if err := command("../..", "go", "build", "-o", product, "./cmd/vmrender"); err != nil {
		return err
	}
	dir, err := installed()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if language, err = start(ctx, dir); err != nil {
		return err
	}
	f()
	ctx, cancel = context.WithTimeout(context.Background(), patience)
	defer cancel()
	return language.stop(ctx)
}

// installed returns the directory of the language server in the cache. It is named after
// the locked versions. It is either complete or absent.
func installed() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "vmrender-editor", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, install(dir)
}

// install installs the locked packages without running their scripts.
func install(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), "partial-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(partial) }()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(partial, name), data, 0o600); err != nil {
			return err
		}
	}
	if err := command(partial, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	if err := os.Rename(partial, dir); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // another process was faster
}

// command runs a program in a directory.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
