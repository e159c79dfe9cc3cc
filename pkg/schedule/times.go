package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// TimesForm is how times are written, for messages.
const TimesForm = "`DAYS HH:MM ZONE`, such as \"daily 01:30 Europe/Berlin\" or \"Mon-Fri 22:00 UTC\", " +
	"or a cron expression and a zone, such as \"0 */6 * * * UTC\""

// Times are the times at which a Job starts, again and again. Equal times are equal values.
type Times struct {
	cron string
	// Zone is the IANA name of the time zone of the times.
	Zone string
}

// Cron returns the times as the schedule of a CronJob, in their time zone.
func (t *Times) Cron() string { return t.cron }

// ParseTimes reads times: days and a minute, or a cron expression of five fields, and a time zone. The error says what
// is wrong in a few words, and what is accepted.
func ParseTimes(text string) (Times, error) {
	words := strings.Fields(text)
	var t Times
	var err error
	switch len(words) {
	case 3:
		t.cron, err = minuteOf(words[0], words[1])
	case len(cronFields) + 1:
		t.cron = strings.Join(words[:len(cronFields)], " ")
		err = checkCron(words[:len(cronFields)])
	default:
		err = fmt.Errorf("%q is not a schedule; expected %s", text, TimesForm)
	}
	if err != nil {
		return Times{}, err
	}
	t.Zone = words[len(words)-1]
	return t, CheckZone(t.Zone)
}

// minuteOf reads days and `HH:MM` as the schedule of a CronJob.
func minuteOf(daysOf, at string) (string, error) {
	on, err := readDays(daysOf)
	if err != nil {
		return "", err
	}
	minute, ok := minutes(at)
	if !ok || minute == day {
		return "", fmt.Errorf("invalid time %q; expected HH:MM, such as \"01:30\"", at)
	}
	return on.at(minute), nil
}

// cronFields are the fields of a cron expression, and what they accept.
var cronFields = []struct{ name, accepts string }{
	{"minute", "0 to 59"},
	{"hour", "0 to 23"},
	{"day of the month", "1 to 31"},
	{"month", "1 to 12 or Jan to Dec"},
	{"day of the week", "0 to 6 or Sun to Sat"},
}

// checkCron checks a cron expression with the parser of the CronJob controller and the API server (kubernetes v1.34,
// pkg/apis/batch/validation/validation.go, validateScheduleFormat).
func checkCron(fields []string) error {
	for i := range cronFields {
		alone := []string{"*", "*", "*", "*", "*"}
		alone[i] = fields[i]
		// The parser also reads a zone before the fields, which the API server refuses.
		_, err := cron.ParseStandard(strings.Join(alone, " "))
		if err != nil || strings.Contains(fields[i], "=") {
			return fmt.Errorf("invalid %s %q; expected numbers from %s, as in \"1\", \"1,3\", \"1-3\", \"*\" or \"*/2\"",
				cronFields[i].name, fields[i], cronFields[i].accepts)
		}
	}
	text := strings.Join(fields, " ")
	times, err := cron.ParseStandard(text)
	if err != nil {
		return fmt.Errorf("invalid cron expression %q; expected five fields, such as \"0 */6 * * *\"", text)
	}
	// The parser looks for five years, which contain a 29 February.
	if times.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return fmt.Errorf("the cron expression %q has no day; expected a day that its months have", text)
	}
	return nil
}

// Meets reports whether two schedules have a minute in common in the weeks after a Sunday. Those in different zones are
// not compared: their minutes depend on the rules of the zones. Nor are days of a month that the weeks do not have.
func (t *Times) Meets(other *Times) bool {
	if *t == *other {
		return true
	}
	if t.Zone != other.Zone {
		return false
	}
	a, errA := cron.ParseStandard(t.cron)
	b, errB := cron.ParseStandard(other.cron)
	if errA != nil || errB != nil {
		return false
	}
	start := time.Date(2000, 1, 1, 23, 59, 0, 0, time.UTC)
	nextA, nextB := a.Next(start), b.Next(start)
	for nextA.Sub(start) < comparedTime && nextB.Sub(start) < comparedTime {
		switch nextA.Compare(nextB) {
		case 0:
			return true
		case -1:
			nextA = a.Next(nextB.Add(-time.Second))
		default:
			nextB = b.Next(nextA.Add(-time.Second))
		}
	}
	return false
}

// comparedTime is how much of two schedules is compared, which has all days of the week.
const comparedTime = 8 * 24 * time.Hour
