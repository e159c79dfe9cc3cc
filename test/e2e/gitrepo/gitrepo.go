// Package gitrepo creates Git repositories for Applications to be rendered
// from.
package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Repository is a Git repository with one branch, main.
type Repository struct{ Dir string }

// New creates a repository in an existing directory.
func New(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{Dir: dir}
	_, err := r.git(ctx, "init", "--quiet", "--initial-branch=main")
	return r, err
}

// URL returns the URL from which Argo CD reads the repository.
func (r *Repository) URL() string { return "file://" + r.Dir }

// Path returns the path of a file in the repository.
func (r *Repository) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write writes a file and creates its directories.
func (r *Repository) Write(name, content string) error {
	if err := os.MkdirAll(filepath.Dir(r.Path(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.Path(name), []byte(content), 0o600)
}

// Replace replaces a text that a file must contain.
func (r *Repository) Replace(name, from, to string) error {
	content, err := os.ReadFile(r.Path(name))
	if err != nil {
		return err
	}
	if !strings.Contains(string(content), from) {
		return fmt.Errorf("%s has no %q", name, from)
	}
	return r.Write(name, strings.ReplaceAll(string(content), from, to))
}

// Commit commits everything and returns the revision.
func (r *Repository) Commit(ctx context.Context, message string) (string, error) {
	if _, err := r.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, "commit", "--quiet", "--allow-empty", "--message", message); err != nil {
		return "", err
	}
	return r.git(ctx, "rev-parse", "HEAD")
}

// git runs git without the user's configuration.
func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = r.Dir
	command.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.com", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.com", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	)
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}
