package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// toolCall is a call of a tool, and texts that its result has.
type toolCall struct {
	Tool    string
	With    map[string]any
	Has     []string
	Refused bool // the result is an error
}

// task is what an assistant does for a request, and the state that it has to end in.
type task struct {
	Look, Attempt, Check []toolCall
	End                  struct {
		VMs, Blocked int
		Worst        string
		Levels       map[string]int
	}
}

// TestAssistant replays recorded tasks: a request, the calls before and after the change of files, and the end that
// validate and plan report.
func TestAssistant(t *testing.T) {
	files, err := filepath.Glob("testdata/assistant/*.txtar")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "the request")
			replay(t, archive)
		})
	}
}

func replay(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	var recorded task
	dir := t.TempDir()
	for _, f := range archive.Files {
		if f.Name == "calls.yaml" {
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &recorded))
		}
	}
	write(t, archive, "before/", dir)
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "before")
	client := serve(t, "mcp", "--root", dir)
	client.play(recorded.Look)
	write(t, archive, "attempt/", dir)
	client.play(recorded.Attempt)
	write(t, archive, "after/", dir)
	client.play(recorded.Check)

	var valid struct {
		Valid bool
		VMs   int
	}
	client.report(&valid, "validate", nil)
	require.True(t, valid.Valid)
	require.Equal(t, recorded.End.VMs, valid.VMs)
	var plan struct {
		Summary struct {
			Worst   string
			VMs     map[string]int
			Blocked int
		}
	}
	client.report(&plan, "plan", map[string]any{"from": "HEAD"})
	require.Equal(t, recorded.End.Worst, plan.Summary.Worst)
	require.Equal(t, recorded.End.Levels, plan.Summary.VMs)
	require.Equal(t, recorded.End.Blocked, plan.Summary.Blocked)
}

// write writes the files of an archive that are below a directory in it.
func write(t *testing.T, archive *txtar.Archive, from, to string) {
	t.Helper()
	for _, f := range archive.Files {
		if name, is := strings.CutPrefix(f.Name, from); is {
			require.NoError(t, os.WriteFile(filepath.Join(to, name), f.Data, 0o600))
		}
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// assistantClient is a client of a server that runs.
type assistantClient struct {
	*testing.T
	session *mcp.ClientSession
}

// serve starts a server and connects to its standard input and output.
func serve(t *testing.T, args ...string) assistantClient {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // closing the session ends the server
	cmd := exec.CommandContext(ctx, "vmrender", args...)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close()) })
	return assistantClient{t, session}
}

// call returns the texts of a result, and whether it is an error.
func (c assistantClient) call(tool string, with map[string]any) (texts []string, refused bool) {
	c.Helper()
	result, err := c.session.CallTool(c.Context(), &mcp.CallToolParams{Name: tool, Arguments: with})
	require.NoError(c, err, tool)
	for _, content := range result.Content {
		text, is := content.(*mcp.TextContent)
		require.True(c, is)
		texts = append(texts, text.Text)
	}
	return texts, result.IsError
}

func (c assistantClient) play(calls []toolCall) {
	c.Helper()
	for _, call := range calls {
		texts, refused := c.call(call.Tool, call.With)
		all := strings.Join(texts, "\n")
		require.Equal(c, call.Refused, refused, all)
		for _, has := range call.Has {
			require.Contains(c, all, has)
		}
	}
}

// report reads the report of a tool.
func (c assistantClient) report(into any, tool string, with map[string]any) {
	c.Helper()
	texts, refused := c.call(tool, with)
	require.False(c, refused, texts)
	require.NoError(c, json.Unmarshal([]byte(texts[0]), into))
}
