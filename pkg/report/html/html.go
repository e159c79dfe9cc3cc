// Package html writes reports as web pages: a fleet,
// and what a plan changes. A page is one file. Style, script and data are part of it,
// and its Content-Security-Policy allows nothing else, so that it makes no request. It
// shows the same for the same input, and without JavaScript a plain table.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

//go:embed *.tmpl page.css page.js
var files embed.FS

// layout is the input of page.tmpl, which all pages have in common.
type layout struct {
	Title   string // of the window
	Version string // of vmrender
	Body    any    // input of the template "body" of the page
	List    list

	Policy string
	Style  template.CSS
	Script template.JS
}

// write writes the page whose body is in a template of the name.
func write(w io.Writer, name string, l layout) error {
	style, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := files.ReadFile("page.js")
	if err != nil {
		return err
	}
	l.Style, l.Script = template.CSS(style), template.JS(script)
	// Only what is part of the page runs: a text that got past the escaping would be inert.
	l.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		digest(style), digest(script))
	t, err := template.New("page.tmpl").Funcs(functions()).ParseFS(files, "page.tmpl", name)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, l); err != nil {
		return err
	}
	// Names can contain characters that reverse the text around them.
	_, err = io.WriteString(w, problems.VisibleLines(b.String()))
	return err
}

// digest returns the hash by which a Content-Security-Policy names an inline style or
// script (W3C Content Security Policy Level 3, section 2.3.1).
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func functions() template.FuncMap {
	return template.FuncMap{
		// The parts of a text between backquotes, of which every second one is code.
		"quoted": func(text string) []string { return strings.Split(text, "`") },
		"odd":    func(i int) bool { return i%2 == 1 },
		"count":  count, "thousands": thousands, "fitName": fitName, "fitSub": fitSub,
		"words": func(l impact.Level) string { return strings.ReplaceAll(l.String(), "-", " ") },
		// Baselines of the two lines of text left of a point.
		"up": func(y int) int { return y - 3 }, "down": func(y int) int { return y + 13 },
	}
}
