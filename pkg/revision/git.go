package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// git runs Git in a directory.
type git struct {
	dir string
	env []string
}

// options come before each command. No command reads the index or attributes, so that there
// is nothing to monitor and to filter; the options are for a future Git that does.
var options = []string{
	"--no-pager", "--literal-pathspecs", "--no-replace-objects",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
	// A directory of the work tree that looks like a repository would use its own configuration.
	"-c", "safe.bareRepository=explicit",
}

// settings are the environment of each command. In a partial clone, Git would fetch missing objects, and write them
// to the repository; no protocol is allowed for that.
var settings = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "LC_ALL=C",
}

// kept are the variables of Git that matter here: where its configuration is, which lists the safe directories. Others,
// as hooks have them, would name another repository than that of the path.
var kept = []string{"GIT_CONFIG_", "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_EXEC_PATH="}

func newGit(dir string, environ []string) git {
	env := slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		isKept := slices.ContainsFunc(kept, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
		return strings.HasPrefix(v, "GIT_") && !isKept || strings.HasPrefix(v, "GIT_CONFIG_PARAMETERS=")
	})
	return git{dir, append(env, settings...)}
}

func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", g.dir}, options, args)...)
	cmd.Env = g.env
	return cmd
}

// output returns what a command writes to stdout. Its error is a [gitError] if the command failed.
func (g git) output(ctx context.Context, args ...string) (string, error) {
	cmd := g.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := g.run(ctx, args[0], stderr.String, cmd.Run)
	return stdout.String(), err
}

// line is like output for a command that writes one line. The line can itself contain line breaks.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.output(ctx, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// stream runs a command that reads lines, and calls read with its output.
func (g git) stream(ctx context.Context, lines []string, read func(io.Reader) error, args ...string) error {
	cmd := g.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(lines, "\n")+"\n"), &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := g.run(ctx, args[0], stderr.String, cmd.Start); err != nil {
		return err
	}
	readErr := read(stdout)
	if readErr != nil {
		_ = stdout.Close() // ends the command, which cannot write any more
	}
	err = g.run(ctx, args[0], stderr.String, cmd.Wait)
	if readErr != nil && !errors.Is(readErr, io.ErrUnexpectedEOF) {
		return readErr
	}
	return errors.Join(err, readErr)
}

// run calls a method of a command, and returns its error with what the command wrote to stderr.
func (g git) run(ctx context.Context, name string, stderr func() string, call func() error) error {
	err := call()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("the program git was not found; install it to compare revisions")
	}
	return &gitError{command: name, message: strings.TrimSpace(stderr()), err: err}
}

// gitError is the error of a command of Git that ran.
type gitError struct {
	command, message string // the message is empty for a plain "no"
	err              error
}

func (e *gitError) Error() string {
	if e.message == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	first, _, _ := strings.Cut(e.message, "\n")
	return fmt.Sprintf("git %s: %s", e.command, strings.TrimPrefix(first, "fatal: "))
}

func (e *gitError) Unwrap() error { return e.err }

// says reports whether an error is from Git and its message contains a text.
func says(err error, text string) bool {
	e, ok := errors.AsType[*gitError](err)
	return ok && strings.Contains(e.message, text)
}
