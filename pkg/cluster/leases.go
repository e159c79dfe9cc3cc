package cluster

import (
	"time"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// leaseTime is how long a run of a rollout holds its Lease after the last renewal, with room for
// what lies between the objects of an export.
const leaseTime = 2 * time.Minute

// IsHeld reports whether a run of a rollout holds its Lease.
func (l *State) IsHeld(lease manifest.Tree) bool {
	age, known := l.Age(manifest.Text(lease, "spec", "renewTime"))
	return manifest.Text(lease, "spec", "holderIdentity") != "" && (!known || age < leaseTime)
}
