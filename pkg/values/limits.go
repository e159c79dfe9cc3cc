package values

// Limits bound how many VMs of the fleet one commit may change. All VMs count whose change has the level or a worse
// one.
type Limits struct {
	// Most VMs that may change at all while they run, or with a worse level.
	Live *int `json:"live,omitempty" minimum:"0"`
	// Most VMs that may be live-migrated, or worse.
	Migrate *int `json:"migrate,omitempty" minimum:"0"`
	// Most VMs that may change silently at their next start, or worse.
	Staged *int `json:"staged,omitempty" minimum:"0"`
	// Most VMs that may need a restart, or worse.
	Restart *int `json:"restart,omitempty" minimum:"0"`
	// Most VMs that may be started or stopped, or worse.
	Power *int `json:"power,omitempty" minimum:"0"`
	// Most VMs that may be recreated or deleted, or lose data.
	Recreate *int `json:"recreate,omitempty" minimum:"0"`
	// Most VMs that may be deleted, or lose data.
	Delete *int `json:"delete,omitempty" minimum:"0"`
	// Most VMs that may lose data.
	DataLoss *int `json:"data-loss,omitempty" minimum:"0"`
	// Most VMs, as a percentage of those that the fleet had before, that may need a restart, or worse.
	Percent *int `json:"percent,omitempty" minimum:"0" maximum:"100"`
}

// Percent is the key of the limit that is a percentage, from the level restart on.
const Percent = "percent"

// Limit is one limit.
type Limit struct {
	Key   string // a level, or [Percent]
	Level string // from which VMs count
	Bound int
}

// all returns the limits by key, also those that are not set: the mildest level first, and the percentage last.
func (l *Limits) all() []struct {
	key, level string
	bound      *int
} {
	if l == nil {
		l = &Limits{}
	}
	return []struct {
		key, level string
		bound      *int
	}{
		{"live", "live", l.Live},
		{"migrate", "migrate", l.Migrate},
		{"staged", "staged", l.Staged},
		{"restart", "restart", l.Restart},
		{"power", "power", l.Power},
		{"recreate", "recreate", l.Recreate},
		{"delete", "delete", l.Delete},
		{"data-loss", "data-loss", l.DataLoss},
		{Percent, "restart", l.Percent},
	}
}

// LimitKeys returns the keys of all limits.
func LimitKeys() []string {
	all := (*Limits)(nil).all()
	keys := make([]string, len(all))
	for i, l := range all {
		keys[i] = l.key
	}
	return keys
}

// StricterLimits returns the stricter of two sides' limits for each key that one of them sets. A side may be nil.
func StricterLimits(a, b *Limits) []Limit {
	var out []Limit
	others := b.all()
	for i, l := range a.all() {
		bound := l.bound
		if other := others[i].bound; bound == nil || other != nil && *other < *bound {
			bound = other
		}
		if bound != nil {
			out = append(out, Limit{Key: l.key, Level: l.level, Bound: *bound})
		}
	}
	return out
}
