package impact

import "slices"

// Ceiling returns the worst level that a change by a rule can have in any cluster, also if what the rule assumes does
// not hold, or if there is no room for a live migration. Programs that know no more than a path use it.
func (r *Rule) Ceiling() Level {
	worst := r.Level
	switch {
	case r.Copies: // see [Finding.loseCopy]
		worst = Recreate
	case r.Level == Migrate, slices.Contains([]Assumption{Copied, Types, Defaults, Fits}, r.Assumes):
		worst = Refused
	case r.Assumes == Migratable, r.Assumes == Room:
		worst = Power
	case r.Assumes == Controllers:
		worst = Restart
	}
	return max(worst, r.Level)
}
