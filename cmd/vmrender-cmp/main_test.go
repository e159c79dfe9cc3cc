package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
	"github.com/vmrender/vmrender/internal/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vmrender-cmp": main, program: pretend})
}

// pretend stands in for the program that renders platforms. It prints its arguments and
// obeys its environment.
func pretend() {
	if json.NewEncoder(os.Stdout).Encode(os.Args[1:]) != nil {
		os.Exit(3)
	}
	if message := os.Getenv("FAKE_MESSAGE"); message != "" {
		fmt.Fprintln(os.Stderr, message)
	}
	switch status := os.Getenv("FAKE_STATUS"); status {
	case "", "0":
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	default:
		os.Exit(2)
	}
}

// Each script in testdata/script tests one promise that Argo CD can rely on. Its
// first line states the promise.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			path, err := exec.LookPath("vmrender-cmp")
			env.Setenv("BIN", filepath.Dir(path))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "manyvms": manyVMs, "hardlink": hardlink,
		},
	})
}

// hardlink adds a second path for a program: `hardlink $BIN/a $WORK/b`. A copy could not be
// executed while another test that is starting a program has inherited the open file.
func hardlink(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hardlink PATH NEW")
	}
	ts.Check(os.Link(args[0], args[1]))
}

// manyVMs writes a file with VMs that differ only in their number, %d: `manyvms 100
// vms.yaml '{os: fedora}'`.
func manyVMs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: manyvms COUNT FILE KEYS")
	}
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	var text strings.Builder
	text.WriteString("vms:\n")
	for i := range count {
		fmt.Fprintf(&text, "  vm-%d: %s\n", i, strings.ReplaceAll(args[2], "%d", strconv.Itoa(i)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text.String()), 0o600))
}

// The reference documents the limits.
func TestDocumentedLimit(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/parameters.md")
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("the first %d KiB", mostMessages>>10))
	require.Contains(t, string(text), fmt.Sprintf("| %d MiB for each of its processes", confine.Memory))
	require.Contains(t, string(text),
		fmt.Sprintf("| CPU time of a render | %d s for each of its processes;", confine.Seconds))
}

// status runs a program, as exec does, and checks that its exit status is the
// first argument: `status 1 vmrender-cmp generate`.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
