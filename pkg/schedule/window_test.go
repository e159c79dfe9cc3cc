package schedule_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/schedule"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		cron   string
		length time.Duration
	}{
		"Sun 02:00-04:00 Europe/Berlin":     {"0 2 * * 0", 2 * time.Hour},
		"daily 22:30-01:00 UTC":             {"30 22 * * *", 150 * time.Minute},
		"mon-fri 00:00-24:00 Asia/Tokyo":    {"0 0 * * 1,2,3,4,5", 24 * time.Hour},
		"Sat,Fri-Sun 23:59-00:00 Etc/GMT+5": {"59 23 * * 0,5,6", time.Minute},
	} {
		w, err := schedule.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want.cron, w.Cron(), text)
		require.Equal(t, want.length, w.Length(), text)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `"" is not a window; expected`,
		"Sun 02:00-04:00":                "is not a window; expected `DAYS HH:MM-HH:MM ZONE`",
		"Sunday 02:00-04:00 UTC":         `unknown days "Sunday"; expected some of Sun, Mon,`,
		"Mon- 02:00-04:00 UTC":           `unknown days "Mon-"`,
		"Sun 2:00-4:00 UTC":              `invalid times "2:00-4:00"; expected HH:MM-HH:MM`,
		"Sun 02:00 UTC":                  `invalid times "02:00"`,
		"Sun 24:00-01:00 UTC":            `invalid times "24:00-01:00"`,
		"Sun 02:60-04:00 UTC":            `invalid times`,
		"Sun 02:00-02:00 UTC":            `begin and end at the same minute`,
		"Sun 02:00-04:00 CEST":           `unknown time zone "CEST"; expected an IANA name`,
		"Sun 02:00-04:00 Europe/Berlinn": `did you mean "Europe/Berlin"?`,
		"Sun 02:00-04:00 Local":          `unknown time zone "Local"`,
	} {
		_, err := schedule.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// Every name is one that Go knows, and so the API server (kubernetes v1.34, pkg/apis/batch/validation).
func TestZones(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Argentina/ComodRivadavia", "Asia/Kolkata"} {
		require.NoError(t, schedule.CheckZone(zone))
		_, err := time.LoadLocation(zone)
		require.NoError(t, err)
	}
}

func TestUntil(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := func(text string) time.Time {
		out, err := time.ParseInLocation("2006-01-02 15:04:05", text, berlin)
		require.NoError(t, err)
		return out
	}
	for _, c := range []struct{ window, now, end string }{
		{"Sun 02:00-04:00 Europe/Berlin", "2026-11-29 01:59:59", ""},
		{"Sun 02:00-04:00 Europe/Berlin", "2026-11-29 02:00:00", "2026-11-29 04:00:00"},
		{"Sun 02:00-04:00 Europe/Berlin", "2026-11-29 03:59:59", "2026-11-29 04:00:00"},
		{"Sun 02:00-04:00 Europe/Berlin", "2026-11-29 04:00:00", ""},
		{"Sun 02:00-04:00 Europe/Berlin", "2026-11-30 03:00:00", ""},
		{"Sat 23:00-01:00 Europe/Berlin", "2026-11-29 00:30:00", "2026-11-29 01:00:00"},
		{"Sun 23:00-01:00 Europe/Berlin", "2026-11-29 00:30:00", ""},
		{"daily 00:00-24:00 Europe/Berlin", "2026-11-29 12:00:00", "2026-11-30 00:00:00"},
		// The clocks go from 2:00 to 3:00 on one of these days, and from 3:00 to 2:00 on the other.
		{"Sun 01:00-04:00 Europe/Berlin", "2026-03-29 03:30:00", "2026-03-29 04:00:00"},
		{"Sun 01:00-04:00 Europe/Berlin", "2026-10-25 03:59:00", "2026-10-25 04:00:00"},
	} {
		w, err := schedule.Parse(c.window)
		require.NoError(t, err)
		end, open := w.Until(at(c.now))
		require.Equal(t, c.end != "", open, "%s at %s", c.window, c.now)
		if open {
			require.Equal(t, at(c.end), end, "%s at %s", c.window, c.now)
		}
	}
}

// At each start of the CronJob the window is open, and at no minute that is not within its length after one.
func TestUntilAgreesWithCron(t *testing.T) {
	for _, zone := range []string{"UTC", "Asia/Kolkata"} { // whose clocks do not change
		for _, text := range []string{"Sun 02:00-04:00", "Mon-Wed,Sat 22:15-01:45", "daily 12:00-12:01", "Fri 00:00-24:00"} {
			w, err := schedule.Parse(text + " " + zone)
			require.NoError(t, err)
			starts, err := cron.ParseStandard(w.Cron())
			require.NoError(t, err)
			in, err := time.LoadLocation(zone)
			require.NoError(t, err)
			now := time.Date(2026, 11, 1, 0, 0, 0, 0, in)
			next := starts.Next(now.Add(-25 * time.Hour))
			for range 10 * 24 * 60 {
				for !starts.Next(next).After(now) {
					next = starts.Next(next)
				}
				_, open := w.Until(now)
				require.Equal(t, !now.Before(next) && now.Before(next.Add(w.Length())), open, "%s at %s", text, now)
				now = now.Add(time.Minute)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"Sun 02:00-04:00 Europe/Berlin", "daily 22:00-01:00 UTC", "Mon-Fri,Sun 00:00-24:00 UTC", "- : -",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := schedule.Parse(text)
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "%!") && !strings.Contains(text, "%!"), err)
			return
		}
		_, err = cron.ParseStandard(w.Cron())
		require.NoError(t, err)
		require.Positive(t, w.Length())
		require.LessOrEqual(t, w.Length(), 24*time.Hour)
	})
}
