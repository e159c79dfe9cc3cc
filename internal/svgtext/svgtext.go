// Package svgtext draws the output of a command as a picture of a terminal, for
// documents. The same text always gives the same picture.
package svgtext

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Sizes in pixels. Every character is as wide as in a monospaced font, whichever font
// the reader has.
const (
	fontSize   = 13
	charWidth  = 7.8
	lineHeight = 19
	margin     = 20
)

// classes are the styles of the picture by the parameters of the escape sequence that
// selects them (ECMA-48, 8.3.117, SELECT GRAPHIC RENDITION).
var classes = map[string]string{
	"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "34": "blue", "35": "magenta", "36": "cyan",
	"1;31": "bold red", "0": "", "": "",
}

// style has colors whose contrast with the background is at least 7.
const style = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;` +
	`fill:#d7dbe0;white-space:pre}` +
	`.bold{font-weight:700}.dim{fill:#a3acb6}.red{fill:#ff9aa2}.green{fill:#7ddba3}.yellow{fill:#f2c46d}` +
	`.blue{fill:#8fc7ff}.magenta{fill:#e6a8e0}.cyan{fill:#7fd4e4}`

var escape = lazyregexp.New("\x1b\\[([0-9;]*)m")

// Picture returns an SVG image of a text with the colors of a terminal. Its error
// names an escape sequence that it does not draw.
func Picture(text string) (string, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	var drawn strings.Builder
	for i, line := range lines {
		n, err := drawLine(&drawn, line, margin+lineHeight*i+fontSize)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		columns = max(columns, n)
	}
	width, height := pixels(columns)+2*margin, lineHeight*len(lines)+2*margin-lineHeight+fontSize+4
	title := escape().ReplaceAllString(text, "")
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"
  viewBox="0 0 %[1]d %[2]d" role="img">
<title>%s</title>
<style>%s</style>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#1b1f24"/>
%[5]s</svg>
`, int(width), height, quoted(title), style, drawn.String()), nil
}

// drawLine adds a line at a height, and returns its number of characters.
func drawLine(out *strings.Builder, line string, y int) (int, error) {
	column, class := 0, ""
	add := func(text string) {
		n := utf8.RuneCountInString(text)
		if blank := n - utf8.RuneCountInString(strings.TrimLeft(text, " ")); strings.TrimSpace(text) != "" {
			text = strings.TrimSpace(text)
			fmt.Fprintf(out, `<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>`+"\n", margin+pixels(column+blank), y,
				pixels(utf8.RuneCountInString(text)), class, quoted(text))
		}
		column += n
	}
	for line != "" {
		at := escape().FindStringSubmatchIndex(line)
		if at == nil {
			break
		}
		add(line[:at[0]])
		name, ok := classes[line[at[2]:at[3]]]
		if !ok {
			return 0, fmt.Errorf("unknown escape sequence %q", line[at[0]:at[1]])
		}
		if class = ""; name != "" {
			class = ` class="` + name + `"`
		}
		line = line[at[1]:]
	}
	if strings.Contains(line, "\x1b") {
		return 0, fmt.Errorf("unknown escape sequence in %q", line)
	}
	add(line)
	return column, nil
}

func pixels(columns int) float64 { return float64(columns) * charWidth }

// quoted returns text as character data of XML.
func quoted(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder has no errors
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}
