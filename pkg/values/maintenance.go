package values

import "github.com/vmrender/vmrender/pkg/schedule"

// Maintenance restarts a pet in a weekly window if one of its changes waits for a restart, such as less memory. A
// CronJob of the namespace does it, with `target.image`: it takes a snapshot first if `lifecycle.snapshotBefore` is
// set, waits until a VM is ready before it restarts the next one, and stops at the first that fails.
type Maintenance struct {
	// Weekly window in which the VM may be restarted, as `DAYS HH:MM-HH:MM ZONE`: days such as `Sun`, `Mon-Fri`,
	// `Sat,Sun` or `daily`, and the IANA name of the time zone. No restart begins outside of it.
	Window string `json:"window,omitempty" format:"window" example:"Sun 02:00-04:00 Europe/Berlin"`
	// Maximum number or percentage of the VMs of the window in a namespace that can be down at the same time. Defaults
	// to 1.
	MaxUnavailable *IntOrPercent `json:"maxUnavailable,omitempty"`
	// Order of the restarts: `name`, or `dependsOn`, in which all VMs of a sync wave are up to date before one of the
	// next wave restarts. Defaults to name.
	Order string `json:"order,omitempty" enum:"name,dependsOn"`
}

// windowProblem returns what is wrong with a window, or "".
func windowProblem(text string) string {
	if _, err := schedule.Parse(text); err != nil {
		return err.Error()
	}
	return ""
}
