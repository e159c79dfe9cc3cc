package values

// Power stops a pet and starts it again at the times that it sets. CronJobs of the namespace do it, with
// `target.image`. They report in an Event when they stop a VM that a user has started, or start one that a user has
// stopped. The VM has the run strategy RerunOnFailure, unless it sets Manual: with these, Git does not hold whether it
// runs.
type Power struct {
	// Times at which the VM is stopped, as `DAYS HH:MM ZONE`: days such as `Sun`, `Mon-Fri`, `Sat,Sun` or `daily`, and
	// the IANA name of the time zone. Or a cron expression of five fields and the zone, such as `0 19 * * 1-5 UTC`. If
	// unset, only users stop it.
	Off string `json:"off,omitempty" format:"schedule" example:"daily 19:00 Europe/Berlin"`
	// Times at which the VM is started, in the same form. If unset, only users start it.
	On string `json:"on,omitempty" format:"schedule" example:"Mon-Fri 07:00 Europe/Berlin"`
}
