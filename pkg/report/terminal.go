package report

import (
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/impact"
)

// sgr is a parameter of the escape sequence that selects a color (ECMA-48, 8.3.117,
// SELECT GRAPHIC RENDITION).
type sgr string

const (
	plain   sgr = ""
	bold    sgr = "1"
	dim     sgr = "2"
	red     sgr = "31"
	green   sgr = "32"
	yellow  sgr = "33"
	magenta sgr = "35"
	cyan    sgr = "36"
	alarm   sgr = "1;31"
)

// levelColors are the colors of levels, which are always written in words also.
var levelColors = map[impact.Level]sgr{
	impact.None:        dim,
	impact.Create:      green,
	impact.Metadata:    dim,
	impact.Left:        cyan,
	impact.Live:        green,
	impact.Migrate:     cyan,
	impact.Staged:      cyan,
	impact.Restart:     yellow,
	impact.Power:       yellow,
	impact.NodeNetwork: magenta,
	impact.NodeReboot:  magenta,
	impact.Refused:     red,
	impact.Recreate:    red,
	impact.Delete:      alarm,
	impact.DataLoss:    alarm,
}

// worstColor returns the color of a plan's headline.
func worstColor(p Plan) sgr {
	if p.Worst() < impact.Restart {
		return bold
	}
	return levelColors[p.Worst()]
}

// paint returns text in a color.
func (t Terminal) paint(color sgr, text string) string {
	if !t.Color || color == plain || text == "" {
		return text
	}
	return "\x1b[" + string(color) + "m" + text + "\x1b[0m"
}

// cutTo returns a text of at most width characters.
func cutTo(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	n := 0
	for i := range text {
		if n++; n == width {
			return text[:i] + "…"
		}
	}
	return text
}
