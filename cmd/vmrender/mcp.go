package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/assistant"
	"github.com/vmrender/vmrender/pkg/live"
)

const mcpHelp = `Serve assistants over the Model Context Protocol, on standard input and output. The tools
are catalog, explain, validate, plan, status and schema: the commands of these names, with
JSON as their output.

The tools only read. They write no files, and read files only below --root, which no
symbolic link may leave. They send nothing to a cluster, unless you start the server with
--live cluster and --kubeconfig: then plan and status read it. With --live FILE,
these tools can use the export. An assistant cannot choose another cluster or kubeconfig.
plan runs Git, as the command does.

See docs/how-to/assistants.md.`

func newMCPCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "mcp",
		SuggestFor: []string{"serve", "server", "assistant"},
		Short:      "Serve assistants, which can read a fleet and plan its changes",
		Long:       mcpHelp,
		Example: `  vmrender mcp
  vmrender mcp --root ~/vms --live export.yaml
  vmrender mcp --live cluster --kubeconfig reader.kubeconfig`,
		Args: argsBetween(0, 0),
	}
	var root string
	state := new(liveFlags)
	cmd.Flags().StringVar(&root, "root", ".", "topmost `directory` that tools can read files from")
	completeFlag(cmd, "root", completeDirs)
	state.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		flags, err := state.fixed(cmd)
		if err != nil {
			return err
		}
		if err := os.Chdir(root); err != nil {
			return err
		}
		s := &assistant.Server{
			Version: readBuild().Version, Live: flags, Run: runTool,
			Kinds: assistant.Kinds{Catalog: catalogKinds(), Schema: schemaKinds()},
		}
		return s.Serve(cmd.Context(), os.Stdin, os.Stdout)
	}
	return cmd
}

// fixed returns the flags of a tool that reads the state in the cluster, with absolute paths. It returns an error if
// the state is not fully named: a server uses no kubeconfig of the environment.
func (f *liveFlags) fixed(cmd *cobra.Command) ([]string, error) {
	if err := f.check(cmd, nil); err != nil {
		return nil, err
	}
	switch f.From {
	case "":
		return nil, nil
	case "-":
		return nil, errors.New(`--live "-": standard input is the protocol; expected a FILE, or ` + live.Cluster)
	case live.Cluster:
		if f.Kubeconfig == "" {
			return nil, errors.New("--live " + live.Cluster + " without a kubeconfig; expected --kubeconfig FILE")
		}
		file, err := filepath.Abs(f.Kubeconfig)
		return []string{"--live=" + live.Cluster, "--kubeconfig=" + file, "--context=" + f.Context}, err
	}
	file, err := filepath.Abs(f.From)
	return []string{"--live=" + file}, err
}

// toolCommands are the commands that tools can run.
var toolCommands = map[string]func() *cobra.Command{
	"catalog": newCatalogCommand, "explain": newExplainCommand, "validate": newValidateCommand,
	"plan": newPlanCommand, "status": newStatusCommand, "schema": newSchemaCommand,
}

// runTool runs the command of a tool, which has no standard input.
func runTool(ctx context.Context, c assistant.Call) assistant.Result {
	command := toolCommands[c.Command]()
	if f := command.Flags().Lookup("root"); f != nil {
		if err := f.Value.Set(c.Root); err != nil { // not as an option of the user, which a fleet does not accept
			return assistant.Result{Stderr: err.Error(), Status: statusUsage}
		}
	}
	root := newRoot([]commandGroup{{otherCommands, []*cobra.Command{command}}})
	var stdout, stderr bytes.Buffer
	root.SetContext(ctx)
	root.SetIn(new(bytes.Reader))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	status := execute(root, append([]string{c.Command}, c.Args...))
	return assistant.Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: status}
}
