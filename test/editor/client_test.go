package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// settings are the settings of a newly installed editor, without the schemas from the web.
const settings = `{
	"validate": true, "completion": true, "hover": true,
	"schemaStore": {"enable": false}, "kubernetesCRDStore": {"enable": false}
}`

// capabilities are the capabilities of editors that change the server's behavior.
const capabilities = `{
	"workspace": {"configuration": true},
	"textDocument": {
		"completion": {"completionItem": {"snippetSupport": true, "documentationFormat": ["markdown", "plaintext"]}},
		"hover": {"contentFormat": ["markdown", "plaintext"]}
	}
}`

// message is a request, a notification, or an answer of the language server protocol.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is the error of a request.
type failure struct {
	Message string `json:"message"`
}

// position is a place in a text; lines and UTF-16 units count from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// diagnostic is a problem that the server finds in a text.
type diagnostic struct {
	Range struct {
		Start position `json:"start"`
	} `json:"range"`
	Message string `json:"message"`
}

// markup is plain text or Markdown.
type markup string

// UnmarshalJSON accepts both forms in the protocol.
func (m *markup) UnmarshalJSON(data []byte) error {
	var plain string
	if err := json.Unmarshal(data, &plain); err == nil {
		*m = markup(plain)
		return nil
	}
	var kinded struct{ Value string }
	err := json.Unmarshal(data, &kinded)
	*m = markup(kinded.Value)
	return err
}

// item is a proposal in a completion.
type item struct {
	Label         string `json:"label"`
	InsertText    string `json:"insertText"`
	Documentation markup `json:"documentation"`
}

// server is a running yaml-language-server.
type server struct {
	cmd        *exec.Cmd
	in         io.WriteCloser
	configured chan struct{} // closed when the server has the settings
	configure  func()

	mu      sync.Mutex
	last    int // ID of a request
	answers map[string]chan message
	found   map[string]chan []diagnostic // by URI
	err     error                        // why the server is gone
}

// start starts the server that is installed in a directory.
func start(ctx context.Context, dir string) (*server, error) {
	program := filepath.Join(dir, "node_modules", "yaml-language-server", "bin", "yaml-language-server")
	s := &server{
		cmd:        exec.Command("node", program, "--stdio"),
		configured: make(chan struct{}),
		answers:    map[string]chan message{},
		found:      map[string]chan []diagnostic{},
	}
	s.configure = sync.OnceFunc(func() { close(s.configured) })
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(bufio.NewReader(out))
	return s, s.initialize(ctx)
}

// initialize returns when the server has its settings.
func (s *server) initialize(ctx context.Context) error {
	hello := map[string]any{"processId": nil, "rootUri": nil, "capabilities": json.RawMessage(capabilities)}
	if err := s.request(ctx, "initialize", hello, nil); err != nil {
		return err
	}
	if err := s.notify("initialized", struct{}{}); err != nil {
		return err
	}
	select {
	case <-s.configured:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the server did not ask for its settings: %w", ctx.Err())
	}
}

// stop ends the server.
func (s *server) stop(ctx context.Context) error {
	return errors.Join(s.request(ctx, "shutdown", nil, nil), s.notify("exit", nil), s.cmd.Wait())
}

// read handles the server's messages until the server ends.
func (s *server) read(out *bufio.Reader) {
	for {
		m, err := receive(out)
		if err == nil {
			err = s.handle(m)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// receive reads one message.
func receive(out *bufio.Reader) (message, error) {
	var m message
	header, err := textproto.NewReader(out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(out, data); err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m)
}

// fail ends all waits for the server.
func (s *server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = fmt.Errorf("yaml-language-server has ended: %w", err)
	for _, answer := range s.answers {
		close(answer)
	}
	for _, found := range s.found {
		close(found)
	}
}

func (s *server) handle(m message) error {
	switch {
	case m.Method == "":
		s.settle(m)
	case m.Method == "textDocument/publishDiagnostics":
		return s.publish(m.Params)
	case m.ID != nil:
		return s.answer(m)
	}
	return nil
}

// settle passes an answer to its receiver.
func (s *server) settle(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, ok := s.answers[string(m.ID)]; ok {
		delete(s.answers, string(m.ID))
		waiting <- m
	}
}

// publish passes the first diagnostics of a text to their receiver.
func (s *server) publish(params json.RawMessage) error {
	var p struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting, ok := s.found[p.URI]; ok {
		delete(s.found, p.URI)
		waiting <- p.Diagnostics
	}
	return nil
}

// answer answers a request of the server: for its settings, or for things that are not needed here.
func (s *server) answer(m message) error {
	var p struct{ Items []struct{ Section string } }
	if m.Method == "workspace/configuration" {
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
	}
	sections := make([]json.RawMessage, len(p.Items))
	for i, asked := range p.Items {
		sections[i] = json.RawMessage("null")
		if asked.Section == "yaml" {
			sections[i] = json.RawMessage(settings)
			defer s.configure()
		}
	}
	result, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	return s.send(message{ID: m.ID, Result: result})
}

// send writes a message.
func (s *server) send(m message) error {
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

func (s *server) notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return s.send(message{Method: method, Params: data})
}

// request sends a request and decodes its answer into result unless that is nil.
func (s *server) request(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	id, waiting := s.expect()
	if err := s.send(message{ID: json.RawMessage(id), Method: method, Params: data}); err != nil {
		return err
	}
	m, err := await(ctx, s, waiting, method)
	switch {
	case err != nil:
		return err
	case m.Error != nil:
		return fmt.Errorf("%s: %s", method, m.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// expect returns the ID of a new request and the channel for its answer.
func (s *server) expect() (string, chan message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id := strconv.Itoa(s.last)
	s.answers[id] = make(chan message, 1)
	return id, s.answers[id]
}

// await returns the value that arrives, or the reason why none does.
func await[T any](ctx context.Context, s *server, arrives chan T, what string) (T, error) {
	select {
	case v, ok := <-arrives:
		if !ok {
			return v, s.err
		}
		return v, nil
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// open opens a text and returns the problems that the server finds in it.
func (s *server) open(ctx context.Context, uri, text string) ([]diagnostic, error) {
	s.mu.Lock()
	found := make(chan []diagnostic, 1)
	s.found[uri] = found
	s.mu.Unlock()
	document := map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text}
	if err := s.notify("textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
		return nil, err
	}
	return await(ctx, s, found, uri)
}

// at returns the parameter of requests about a place in a text.
func at(uri string, p position) any {
	return map[string]any{"textDocument": map[string]any{"uri": uri}, "position": p}
}

// complete returns the proposals for a place.
func (s *server) complete(ctx context.Context, uri string, p position) ([]item, error) {
	var list struct{ Items []item }
	err := s.request(ctx, "textDocument/completion", at(uri, p), &list)
	return list.Items, err
}

// hover returns the text about the element at a place.
func (s *server) hover(ctx context.Context, uri string, p position) (string, error) {
	var h struct{ Contents markup }
	err := s.request(ctx, "textDocument/hover", at(uri, p), &h)
	return string(h.Contents), err
}
