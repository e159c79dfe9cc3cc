// Command vmrender-cmp renders a fleet of VMs in Argo CD, which runs it in the
// sidecar of its repo-server, in the directory of an Application.
//
//	vmrender-cmp discover     prints the path of the directory's fleet.yaml or platform.yaml, if any
//	vmrender-cmp generate     prints the manifests of the fleet, or of the part in the directory;
//	                          for a platform.yaml, those that vmrender renders
//	vmrender-cmp parameters   prints the parameters that an Application can set
//
// The exit status is 0 for success, 1 for invalid input and 2 for an invalid
// command line or a crash. Only the result goes to stdout: Argo CD shows stderr to users if
// the command fails.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/vmrender/vmrender/internal/confine"
	"github.com/vmrender/vmrender/internal/process"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// The exit statuses.
const (
	statusOK      = 0
	statusInvalid = 1
	statusUsage   = 2
)

func main() {
	process.Tune()
	debug.SetMemoryLimit(confine.Heap)
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run runs a command line and returns the exit status. Package confine has limited what this process can use.
func run(args, environ []string, stdout, stderr io.Writer) int {
	end := confine.Guard(strings.Join(args, " "))
	var messages bounded
	status := serve(args, environ, stdout, &messages)
	end()
	if err := messages.flush(stderr); err != nil {
		return statusInvalid
	}
	return status
}

func serve(args, environ []string, stdout io.Writer, messages *bounded) int {
	command, err := chosen(args)
	if err != nil {
		fmt.Fprintf(messages, "vmrender-cmp: %v\n", err) //nolint:errcheck // it is kept in memory
		return statusUsage
	}
	err = work(command, environ, stdout, messages)
	if err == nil {
		return statusOK
	}
	if !errors.Is(err, problems.ErrReported) {
		fmt.Fprintf(messages, "vmrender-cmp %s: %v\n", args[0], err) //nolint:errcheck // as above
	}
	return statusInvalid
}

// work runs a command.
func work(command func(*sidecar) error, environ []string, stdout io.Writer, messages *bounded) error {
	s, err := newSidecar(environ, stdout, messages)
	if err != nil {
		return err
	}
	return command(s)
}

// chosen returns the command that the arguments name.
func chosen(args []string) (func(*sidecar) error, error) {
	known := []string{"discover", "generate", "parameters"}
	if len(args) == 0 {
		return nil, fmt.Errorf("no command; %s", suggest.DidYouMean("", known))
	}
	if len(args) > 1 {
		return nil, fmt.Errorf("unexpected argument %q; %s takes none, and works in the working directory", args[1], args[0])
	}
	switch args[0] {
	case "discover":
		return (*sidecar).discover, nil
	case "generate":
		return (*sidecar).generate, nil
	case "parameters":
		return (*sidecar).parameters, nil
	}
	return nil, fmt.Errorf("unknown command %q; %s", args[0], suggest.DidYouMean(args[0], known))
}
