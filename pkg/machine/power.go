package machine

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/schedule"
)

// Power is when a pet is stopped and started.
type Power struct {
	Off, On *Times // nil if only users do it; at least one is set
}

// String returns the times for users, such as "off daily 19:00 UTC, on Mon-Fri 07:00 UTC".
func (p *Power) String() string {
	var parts []string
	if p.Off != nil {
		parts = append(parts, "off "+p.Off.Text)
	}
	if p.On != nil {
		parts = append(parts, "on "+p.On.Text)
	}
	return strings.Join(parts, ", ")
}

// ParsePower reads what [Power.String] has written. It returns nil if there are no times in it.
func ParsePower(text string) *Power {
	off, on, _ := strings.Cut(text, ", on ")
	if alone, ok := strings.CutPrefix(off, "on "); ok {
		off, on = "", alone
	}
	out := Power{Off: parsePowerTimes(strings.TrimPrefix(off, "off ")), On: parsePowerTimes(on)}
	if out.Off == nil && out.On == nil {
		return nil
	}
	return &out
}

// parsePowerTimes returns times, or nil if the text is not of times.
func parsePowerTimes(text string) *Times {
	times, err := schedule.ParseTimes(text)
	if err != nil {
		return nil
	}
	return &Times{text, times}
}
