// Package schedule reads the times at which Jobs in the cluster act: windows such as `Sun 02:00-04:00 Europe/Berlin`,
// and times such as `daily 01:30 UTC`.
//
// Rendering has no clock: a window becomes the schedule of a CronJob, and the Job compares it with its own clock.
package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Form is how a window is written, for messages.
const Form = "`DAYS HH:MM-HH:MM ZONE`, such as \"Sun 02:00-04:00 Europe/Berlin\", \"Mon-Fri 22:00-23:30 UTC\" or " +
	"\"daily 01:00-03:00 UTC\""

// Window is a time of some days of the week that comes again every week. It has at least one day, and begins and ends
// at a minute.
type Window struct {
	days   days // on which it begins
	from   int  // minutes after midnight, from 0 to 1439
	length int  // minutes, from 1 to 1440
	// Zone is the IANA name of the time zone of its times.
	Zone string
}

// days are some days of the week, from Sunday.
type days [7]bool

const day = 24 * 60

// Parse reads a window. The error says what is wrong in a few words, and what is accepted.
func Parse(text string) (Window, error) {
	words := strings.Fields(text)
	if len(words) != 3 {
		return Window{}, fmt.Errorf("%q is not a window; expected %s", text, Form)
	}
	on, err := readDays(words[0])
	if err != nil {
		return Window{}, err
	}
	w := Window{days: on, Zone: words[2]}
	if err := w.readTimes(words[1]); err != nil {
		return Window{}, err
	}
	return w, CheckZone(w.Zone)
}

// names are the days of the week in the order of [time.Weekday].
var names = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

func dayOf(text string) (int, bool) {
	for i, name := range names {
		if strings.EqualFold(name, text) {
			return i, true
		}
	}
	return 0, false
}

// readDays reads days and ranges of days, separated by commas, or "daily".
func readDays(text string) (days, error) {
	var on days
	if strings.EqualFold(text, "daily") {
		return days{true, true, true, true, true, true, true}, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, ok := dayOf(first)
		to := from
		if isRange {
			var also bool
			to, also = dayOf(last)
			ok = ok && also
		}
		if !ok {
			return days{}, fmt.Errorf("unknown days %q; expected some of %s, a range such as \"Mon-Fri\", or \"daily\"",
				part, strings.Join(names, ", "))
		}
		on[from] = true
		for d := from; d != to; {
			d = (d + 1) % len(names)
			on[d] = true
		}
	}
	return on, nil
}

// readTimes reads `HH:MM-HH:MM`. An end before the start is on the next day.
func (w *Window) readTimes(text string) error {
	first, last, found := strings.Cut(text, "-")
	from, ok := minutes(first)
	to, also := minutes(last)
	switch {
	case !found || !ok || !also || from == day:
		return fmt.Errorf("invalid times %q; expected HH:MM-HH:MM, such as \"02:00-04:00\"", text)
	case from == to:
		return fmt.Errorf("the times %q begin and end at the same minute; expected HH:MM-HH:MM, such as \"00:00-24:00\"",
			text)
	}
	w.from, w.length = from, (to-from+day)%day
	if w.length == 0 {
		w.length = day
	}
	return nil
}

// minutes reads `HH:MM` as minutes after midnight, up to 24:00.
func minutes(text string) (int, bool) {
	hours, rest, found := strings.Cut(text, ":")
	h, err := strconv.ParseUint(hours, 10, 8)
	m, also := strconv.ParseUint(rest, 10, 8)
	if !found || err != nil || also != nil || len(hours) != 2 || len(rest) != 2 || m > 59 || h*60+m > day {
		return 0, false
	}
	return int(h*60 + m), true
}

// Cron returns the starts of the window as the schedule of a CronJob, in its time zone.
func (w *Window) Cron() string { return w.days.at(w.from) }

// at returns a minute of the days as the schedule of a CronJob.
func (on *days) at(minute int) string {
	var list []string
	for d, is := range on {
		if is {
			list = append(list, strconv.Itoa(d))
		}
	}
	of := strings.Join(list, ",")
	if len(list) == len(on) {
		of = "*"
	}
	return fmt.Sprintf("%d %d * * %s", minute%60, minute/60, of)
}

// Length returns how long the window is on a day without a change of the clocks.
func (w *Window) Length() time.Duration { return time.Duration(w.length) * time.Minute }

// Until returns the end of the window that a time is in, or false if it is in none. The time is in the location of the
// window's zone.
func (w *Window) Until(now time.Time) (end time.Time, open bool) {
	for ago := range 2 { // one that began yesterday can last until today
		y, m, d := now.AddDate(0, 0, -ago).Date()
		if !w.days[time.Date(y, m, d, 12, 0, 0, 0, now.Location()).Weekday()] {
			continue
		}
		start := time.Date(y, m, d, 0, w.from, 0, 0, now.Location())
		last := time.Date(y, m, d, 0, w.from+w.length, 0, 0, now.Location())
		if !now.Before(start) && now.Before(last) {
			return last, true
		}
	}
	return time.Time{}, false
}
