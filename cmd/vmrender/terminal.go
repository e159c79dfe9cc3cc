package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/vmrender/vmrender/pkg/report"
)

// terminalOf returns how text is shown on a writer: with colors and a width only on a
// terminal, and without colors if NO_COLOR is set (https://no-color.org).
func terminalOf(w io.Writer) report.Terminal {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return report.Terminal{}
	}
	t := report.Terminal{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		t.Width = width
	}
	return t
}
