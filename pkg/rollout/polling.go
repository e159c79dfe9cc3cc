package rollout

import "time"

// polling is a run that looks at its VirtualMachines one by one, again and again.
type polling struct {
	Options
	cluster *Cluster
	said    map[string]string // the last line about each VM
	looked  time.Time
	waited  time.Duration // while the API server has answered
}

// poll returns a run that has not looked at anything yet.
func (c *Cluster) poll(o *Options) polling {
	return polling{Options: *o, cluster: c.patient(o), said: map[string]string{}, looked: o.Now()}
}

// count counts the time since the last look as time that was waited, if the API server has answered.
func (r *polling) count(answered bool) {
	now := r.Now()
	if answered {
		r.waited += now.Sub(r.looked)
	}
	r.looked = now
}

// say writes a line about a VM, unless it is the last one again.
func (r *polling) say(machine, text string) {
	if r.said[machine] != text {
		r.said[machine] = text
		r.logf("%s: %s", machine, text)
	}
}
