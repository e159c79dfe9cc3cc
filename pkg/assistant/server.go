package assistant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Kinds are the kinds that the tools catalog and schema accept.
type Kinds struct{ Catalog, Schema []string }

// Call is a command line that a tool stands for.
type Call struct {
	Command string
	// Args are the flags as --flag=value, "--", and the arguments.
	Args []string
	// Root is the topmost directory that a platform can read files from: absolute, or empty for that of its repository.
	Root string
}

// Result is what a command has written, and its exit status.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// Server is what a server of tools needs.
type Server struct {
	Version string
	Kinds   Kinds
	// Live is the flags with the state in the cluster that the user has chosen; empty if tools cannot use any.
	Live []string
	// Run runs a command that only reads. It is called once at a time.
	Run func(context.Context, Call) Result

	root root
	one  sync.Mutex
}

const instructions = "vmrender renders VMs of a Git repository for KubeVirt. These tools only read. " +
	"Change files yourself, then call validate until it reports no error, then plan. Show the plan to a person. " +
	"Never write an approval without that person's decision."

// Serve answers requests until the input ends. All paths are below the working directory.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	var err error
	if s.root, err = newRoot(); err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "vmrender", Version: s.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	for _, t := range tools(s.Kinds) {
		closed := false
		mcp.AddTool(server, &mcp.Tool{
			Name: t.name, Description: t.about, InputSchema: t.input(),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed},
		}, func(ctx context.Context, _ *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
			result, err := s.call(ctx, t, in)
			return result, nil, err
		})
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	s.one.Lock() // a call that runs removes its temporary files
	defer s.one.Unlock()
	return err
}

// call runs the command of a tool. Its result is the report, followed by the exit status and messages if there are any.
// A call without a report is an error.
func (s *Server) call(ctx context.Context, t tool, in map[string]any) (*mcp.CallToolResult, error) {
	c, err := s.commandLine(t, in)
	if err != nil {
		return nil, err
	}
	s.one.Lock()
	defer s.one.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := s.Run(context.WithoutCancel(ctx), c) // a plan whose context ends, ends the process
	if r.Stdout == "" {
		return nil, fmt.Errorf("exit status %d\n%s", r.Status, r.Stderr)
	}
	content := []mcp.Content{&mcp.TextContent{Text: r.Stdout}}
	if r.Status != 0 || r.Stderr != "" {
		content = append(content, &mcp.TextContent{Text: fmt.Sprintf("exit status %d\n%s", r.Status, r.Stderr)})
	}
	return &mcp.CallToolResult{Content: content}, nil
}

// commandLine returns the command of a tool with the values of its fields.
func (s *Server) commandLine(t tool, in map[string]any) (Call, error) {
	c := Call{Command: t.name, Args: slices.Clone(t.always)}
	var arguments []string
	problems := make([]error, 0, 1+len(t.fields))
	problems = append(problems, t.check(in))
	for _, f := range t.fields {
		values, err := s.values(f, in[f.name])
		problems = append(problems, err)
		for _, value := range values {
			switch f.role {
			case given:
				c.Args = append(c.Args, s.Live...)
			case argument:
				arguments = append(arguments, value)
			case flag, repeated:
				c.Args = append(c.Args, "--"+f.flag+"="+value)
			}
			if f.path && !s.root.repository(value) {
				c.Root = string(s.root)
			}
		}
	}
	c.Args = append(append(c.Args, "--"), arguments...)
	return c, errors.Join(problems...)
}

// check returns an error if fields are missing, or exclude each other.
func (t tool) check(in map[string]any) error {
	has := func(name string) bool { return in[name] != nil && in[name] != false }
	var problems []error
	for _, pair := range t.excludes {
		if has(pair[0]) && has(pair[1]) {
			problems = append(problems, fmt.Errorf("%s and %s exclude each other; expected one of them", pair[0], pair[1]))
		}
	}
	if len(t.needs) > 0 && !slices.ContainsFunc(t.needs, has) {
		problems = append(problems, fmt.Errorf("nothing to compare with; expected one of: %s", strings.Join(t.needs, ", ")))
	}
	return errors.Join(problems...)
}

var errNoLive = errors.New("live: the server was started without a cluster; expected export, or a server with --live")

// values returns the values of a field, which fits its schema, as its command takes them.
func (s *Server) values(f field, in any) ([]string, error) {
	switch v := in.(type) {
	case string:
		return s.checked(f, []string{v})
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, fmt.Sprint(item))
		}
		return s.checked(f, all)
	case bool:
		if !v {
			return nil, nil
		}
		if len(s.Live) == 0 {
			return nil, errNoLive
		}
		return []string{f.name}, nil
	}
	if f.fallback == "" {
		return nil, nil
	}
	return s.checked(f, []string{f.fallback})
}

// checked returns values of a field, with its paths as a command takes them.
func (s *Server) checked(f field, values []string) ([]string, error) {
	if !f.path {
		return values, nil
	}
	var problems []error
	for i, value := range values {
		var err error
		values[i], err = s.root.path(f.name, value)
		problems = append(problems, err)
	}
	return values, errors.Join(problems...)
}
