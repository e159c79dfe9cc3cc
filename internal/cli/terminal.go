package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/vmrender/vmrender/pkg/report"
)

// Stream is stdout or stderr, to which problems are written with colors if it is a terminal.
type Stream struct{ *os.File }

// Color reports whether the stream shows colors: only on a terminal, and not if NO_COLOR is set (https://no-color.org).
func (s Stream) Color() bool { return TerminalOf(s).Color }

// terminalFile returns the terminal that a writer is, if it is one.
func terminalFile(w io.Writer) (*os.File, bool) {
	s, ok := w.(Stream)
	return s.File, ok && term.IsTerminal(int(s.Fd()))
}

// TerminalOf returns how text is shown on a writer: with colors and a width only on a
// terminal, and without colors if NO_COLOR is set.
func TerminalOf(w io.Writer) report.Terminal {
	file, ok := terminalFile(w)
	if !ok {
		return report.Terminal{}
	}
	t := report.Terminal{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		t.Width = width
	}
	return t
}
