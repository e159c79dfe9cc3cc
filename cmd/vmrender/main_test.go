package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vmrender/vmrender/internal/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vmrender": main})
}

// Each script in testdata/script tests one promise of the command line. Its first
// line states the promise.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": exitStatus, "approve": approve,
		},
	})
}

// exitStatus runs a program, as exec does, and checks that its exit status is the
// first argument: `status 2 vmrender template --no-such-flag`.
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
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

// approve replaces words in files with the lines that a plan in JSON requires, unchanged: APPROVE with that of the
// first VM that needs one, or is held, and SHARED with that of the first token for several VMs:
// `approve plan.json vms.yaml`.
func approve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: approve PLAN FILE...")
	}
	var plan struct {
		VMs       []struct{ Gate struct{ Write string } }
		Approvals []struct{ Write string }
		Holds     []struct{ Write string }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &plan))
	line, shared := "", ""
	for _, vm := range plan.VMs {
		line = cmp.Or(line, vm.Gate.Write)
	}
	for _, vm := range plan.Holds {
		line = cmp.Or(line, vm.Write)
	}
	for _, a := range plan.Approvals {
		shared = cmp.Or(shared, a.Write)
	}
	for _, file := range args[1:] {
		text := ts.ReadFile(file)
		word, with := "APPROVE", line
		if strings.Contains(text, "SHARED") {
			word, with = "SHARED", shared
		}
		if !strings.Contains(text, word) || with == "" {
			ts.Fatalf("%s: no %s, or the plan requires none", file, word)
		}
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(strings.ReplaceAll(text, word, with)), 0o600))
	}
}
