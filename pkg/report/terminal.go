package report

import (
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/plan"
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
var levelColors = map[plan.Level]sgr{
	plan.None:        dim,
	plan.Create:      green,
	plan.Metadata:    dim,
	plan.Left:        cyan,
	plan.Live:        green,
	plan.Migrate:     cyan,
	plan.Staged:      cyan,
	plan.Restart:     yellow,
	plan.Power:       yellow,
	plan.NodeNetwork: magenta,
	plan.NodeReboot:  magenta,
	plan.Refused:     red,
	plan.Recreate:    red,
	plan.Delete:      alarm,
	plan.DataLoss:    alarm,
}

// worstColor returns the color of a plan's headline.
func worstColor(p Plan) sgr {
	if p.Worst() < plan.Restart {
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
