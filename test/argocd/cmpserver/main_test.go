package cmpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/argocd/server"
)

// repository is the root of vmrender's repository.
var repository = filepath.Join("..", "..", "..")

// programs are built once for all tests.
var programs server.Programs

func TestMain(m *testing.M) {
	cache, err := os.UserCacheDir()
	if err == nil {
		programs, err = server.Build(context.Background(), repository, filepath.Join(cache, "vmrender-argocd"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// patience bounds a call. It is generous because the computer may be busy.
const patience = 2 * time.Minute

func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// serve starts a cmp-server with the project's plugin.yaml.
func serve(t *testing.T) *Server {
	s, err := Start(patient(t), programs, filepath.Join(repository, "plugin"))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// tree writes files by path into a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// objects parses manifests and returns the items of Lists among them.
func objects(t *testing.T, manifests ...string) []any {
	var all []any
	for _, manifest := range manifests {
		var parsed map[string]any
		require.NoError(t, json.Unmarshal([]byte(manifest), &parsed))
		if items, ok := parsed["items"].([]any); ok && parsed["kind"] == "List" {
			all = append(all, items...)
		} else {
			all = append(all, parsed)
		}
	}
	return all
}

// byHand returns the command-line tool's answer for an Application: the
// rendered objects or the complaint.
func byHand(t *testing.T, a Application, args ...string) (rendered []any, complaint string) {
	args = append([]string{"template", "--output", "json", "--namespace", a.Namespace}, args...)
	call := exec.CommandContext(patient(t), programs.Vmrender, args...)
	call.Dir = filepath.Join(a.Root, a.Path)
	out, err := call.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, strings.TrimSpace(string(failed.Stderr))
	}
	require.NoError(t, err)
	return objects(t, string(out)), ""
}

// refusal returns the error in which cmp-server wraps the complaint (argo-cd
// v3.2.11, cmpserver/plugin/plugin.go CmdError).
func refusal(complaint string) string {
	return "rpc error: code = Unknown desc = error generating manifests: " +
		"`vmrender-cmp generate` failed exit status 1: " + complaint
}
