package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/schedule"
)

func TestParseTimes(t *testing.T) {
	for text, want := range map[string]struct{ cron, zone string }{
		"daily 01:30 Europe/Berlin":      {"30 1 * * *", "Europe/Berlin"},
		"Mon-Fri 22:00 UTC":              {"0 22 * * 1,2,3,4,5", "UTC"},
		"sat,sun  00:05  Asia/Kolkata":   {"5 0 * * 0,6", "Asia/Kolkata"},
		"0 */6 * * * UTC":                {"0 */6 * * *", "UTC"},
		" 15  1,13 * * Mon-Fri Etc/GMT ": {"15 1,13 * * Mon-Fri", "Etc/GMT"},
		"0 0 29 2 * UTC":                 {"0 0 29 2 *", "UTC"},
		"0 0 1 Jan ? UTC":                {"0 0 1 Jan ?", "UTC"},
	} {
		times, err := schedule.ParseTimes(text)
		require.NoError(t, err, text)
		require.Equal(t, want.cron, times.Cron(), text)
		require.Equal(t, want.zone, times.Zone, text)
	}
}

func TestParseTimesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "\"\" is not a schedule; expected `DAYS HH:MM ZONE`, such as \"daily 01:30 Eur",
		"daily 01:30":             "is not a schedule",
		"@daily UTC":              "or a cron expression and a zone, such as \"0 */6 * * * UTC\"",
		"0 */6 * * *":             "is not a schedule",
		"0 0 1 * * * UTC":         "is not a schedule",
		"every 01:30 UTC":         `unknown days "every"; expected some of Sun,`,
		"daily 1:30 UTC":          `invalid time "1:30"; expected HH:MM, such as "01:30"`,
		"daily 24:00 UTC":         `invalid time "24:00"`,
		"daily 01:30-02:00 UTC":   `invalid time "01:30-02:00"`,
		"daily 01:30 Berlin":      `unknown time zone "Berlin"`,
		"61 * * * * UTC":          `invalid minute "61"; expected numbers from 0 to 59, as in "1", "1,3", "1-3", "*" `,
		"0 24 * * * UTC":          `invalid hour "24"; expected numbers from 0 to 23`,
		"0 0 0 * * UTC":           `invalid day of the month "0"; expected numbers from 1 to 31`,
		"0 0 * Foo * UTC":         `invalid month "Foo"; expected numbers from 1 to 12 or Jan to Dec`,
		"0 0 * * 7 UTC":           `invalid day of the week "7"; expected numbers from 0 to 6 or Sun to Sat`,
		"*/0 * * * * UTC":         `invalid minute "*/0"`,
		"TZ=UTC * * * * UTC":      `invalid minute "TZ=UTC"`,
		"CRON_TZ=UTC * * * * UTC": `invalid minute "CRON_TZ=UTC"`,
		"TZ= * * * * UTC":         `invalid minute "TZ="`,
		"@every 1 * * * UTC":      `invalid minute "@every"`,
		"0 0 31 2 * UTC":          `the cron expression "0 0 31 2 *" has no day; expected a day that its months have`,
		"0 * * * * CEST":          `unknown time zone "CEST"`,
	} {
		_, err := schedule.ParseTimes(text)
		require.ErrorContains(t, err, want, text)
	}
}

// Days and a minute mean the same as in a window that begins then.
func TestTimesAgreeWithWindows(t *testing.T) {
	for _, days := range []string{"daily", "Sun", "Fri-Mon", "Tue,Thu"} {
		times, err := schedule.ParseTimes(days + " 22:15 UTC")
		require.NoError(t, err)
		window, err := schedule.Parse(days + " 22:15-23:00 UTC")
		require.NoError(t, err)
		require.Equal(t, window.Cron(), times.Cron())
	}
}

func FuzzParseTimes(f *testing.F) {
	for _, text := range []string{
		"daily 01:30 Europe/Berlin", "Mon-Fri,Sun 00:00 UTC", "0 */6 * * * UTC", "TZ= 0 0 1 1 UTC", "@ @ @ @ @ UTC", "- : -",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		times, err := schedule.ParseTimes(text)
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "%!") && !strings.Contains(text, "%!"), err)
			return
		}
		of, err := cron.ParseStandard(times.Cron())
		require.NoError(t, err)
		require.False(t, of.Next(time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)).IsZero(), "a Job starts at some time")
		again, err := schedule.ParseTimes(times.Cron() + " " + times.Zone)
		require.NoError(t, err)
		require.Equal(t, times, again)
	})
}

func TestMeets(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"daily 19:00 UTC", "daily 07:00 UTC", false},
		{"daily 19:00 UTC", "0 19 * * * UTC", true},
		{"daily 19:00 UTC", "Sat 19:00 UTC", true},
		{"Mon-Fri 19:00 UTC", "Sat,Sun 19:00 UTC", false},
		{"*/7 * * * * UTC", "1 1 * * * UTC", false},
		{"*/7 * * * * UTC", "1-59/3 * * * * UTC", true},
		{"0 0 29 2 * UTC", "0 0 29 2 * UTC", true},
		{"0 0 29 2 * UTC", "daily 01:00 UTC", false},
		{"daily 19:00 UTC", "daily 19:00 Europe/Berlin", false},
	} {
		a, err := schedule.ParseTimes(c.a)
		require.NoError(t, err)
		b, err := schedule.ParseTimes(c.b)
		require.NoError(t, err)
		require.Equal(t, c.want, a.Meets(&b), "%s and %s", c.a, c.b)
		require.Equal(t, c.want, b.Meets(&a), "%s and %s", c.b, c.a)
	}
	require.False(t, new(schedule.Times).Meets(&schedule.Times{Zone: "UTC"}))
}
