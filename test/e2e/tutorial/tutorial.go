// Package tutorial follows a tutorial as its reader does: it runs the commands of a page, and
// writes its files.
package tutorial

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// patience is how long one command may take, on a computer that is busy with another build.
const patience = 15 * time.Minute

// Reader is a user at a terminal, in a directory to which a page adds files from top to bottom.
type Reader struct {
	Dir      string            // the directory in which the page begins, which is empty
	Programs map[string]string // paths of programs, by their names on the page
	Env      []string          // variables, as NAME=VALUE, in addition to the test's own
	// StandIns contains the test's values for names on the page that readers replace with their
	// own, such as the URL of a repository.
	StandIns map[string]string
	Until    string // the heading at which the reader stops; empty for the end of the page
}

// Read follows the page in a file, and requires that it shows the actual results. With -update,
// it corrects the page.
func (r *Reader) Read(t *testing.T, file string) {
	t.Helper()
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	r.begin(t)
	ours, theirs := r.replacers()
	ended := false
	got := docblocks.Rewrite(ours.Replace(string(page)), func(b docblocks.Block) string {
		ended = ended || r.Until != "" && b.Section == r.Until
		switch {
		case ended || b.NotRun != "" || t.Failed():
			return b.Text
		case b.Lang == "console":
			return r.console(t, b)
		case b.Lang == "yaml":
			return docblocks.File(t, strings.TrimSpace(r.run(t, "pwd")), b)
		}
		return b.Text
	})
	require.Equal(t, r.Until != "", ended, "the page has no block under %q", r.Until)
	golden.Equal(t, file, theirs.Replace(got))
}

// replacers returns replacers that insert the stand-ins into a text and remove them.
func (r *Reader) replacers() (ours, theirs *strings.Replacer) {
	var in, out []string
	for name, standIn := range r.StandIns {
		in, out = append(in, name, standIn), append(out, standIn, name)
	}
	return strings.NewReplacer(in...), strings.NewReplacer(out...)
}

// begin prepares the programs, and the state that commands leave to later ones.
func (r *Reader) begin(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	for name, path := range r.Programs {
		require.NoError(t, os.Symlink(path, filepath.Join(bin, name)))
	}
	r.Env = append(r.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), stateVariable+"="+filepath.Join(bin, ".state"))
	require.NoError(t, os.WriteFile(filepath.Join(bin, ".state"), nil, 0o600))
}

const stateVariable = "TUTORIAL_STATE"

// script runs a command in the directory where the previous one ended, with the variables that
// it exported.
const script = `. "$TUTORIAL_STATE"
eval "$1"
status=$?
{ export -p; printf 'cd %q\n' "$PWD"; } > "$TUTORIAL_STATE"
exit $status`

// console runs the commands of a block, and returns the block with their output.
func (r *Reader) console(t *testing.T, b docblocks.Block) string {
	t.Helper()
	commands := b.Commands()
	require.NotEmpty(t, commands, b.Text)
	for i := range commands {
		if output := r.run(t, commands[i].Line()); !docblocks.Agrees(commands[i].Output, output) {
			commands[i].Output = output
		}
	}
	return docblocks.Console(commands)
}

// endOfWatch matches a message that kubectl may log when it stops waiting: its own watch was
// canceled in the middle of an event (k8s.io/client-go v0.36.6, tools/cache/reflector.go,
// watch). Whether it appears depends on when the event arrives.
var endOfWatch = lazyregexp.New(
	`(?m)^[IW]\d{4} .* reflector\.go:\d+\] "Warning: watch ended with error" .*context canceled.*\n`)

// run runs a command, which must succeed, and returns its output in a terminal, except
// [endOfWatch].
func (r *Reader) run(t *testing.T, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-c", script, "bash", line)
	command.Dir, command.Env = r.Dir, append(os.Environ(), r.Env...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "$ %s%s", line, output)
	return endOfWatch().ReplaceAllString(string(output), "")
}
