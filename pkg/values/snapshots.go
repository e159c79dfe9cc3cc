package values

import "github.com/vmrender/vmrender/pkg/schedule"

// Snapshots takes snapshots of a pet again and again, and deletes the oldest of them. A CronJob of the namespace does
// it, with `target.image`. It never deletes a snapshot that it has not taken, and none while the newest is not ready.
type Snapshots struct {
	// Times of the snapshots, as `DAYS HH:MM ZONE`: days such as `Sun`, `Mon-Fri`, `Sat,Sun` or `daily`, and the IANA
	// name of the time zone. Or a cron expression of five fields and the zone, such as `0 */6 * * * UTC`.
	Schedule string `json:"schedule,omitempty" format:"schedule" example:"daily 01:30 Europe/Berlin"`
	// Number of ready snapshots to keep. Defaults to 7.
	Keep *int `json:"keep,omitempty" minimum:"1" maximum:"10000"`
}

// scheduleProblem returns what is wrong with the times of snapshots, or "".
func scheduleProblem(text string) string {
	if _, err := schedule.ParseTimes(text); err != nil {
		return err.Error()
	}
	return ""
}
