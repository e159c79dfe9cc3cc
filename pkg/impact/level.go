package impact

import (
	"fmt"
	"slices"
	"strings"
)

// Level is what a sync does to an object, by how much it hurts: a higher level is worse.
type Level uint8

// The levels, mildest first.
const (
	None        Level = iota // nothing happens
	Create                   // a new object
	Metadata                 // labels, annotations and settings that no VM sees
	Left                     // removed from Git; stays in the cluster and keeps running
	Live                     // changed in the running VM, or in place
	Migrate                  // changed by a live migration
	Staged                   // silent; takes effect at the next start
	Restart                  // needs a restart
	Power                    // starts or stops the VM
	NodeNetwork              // changes the network of nodes
	NodeReboot               // reboots nodes
	Refused                  // an admission webhook or the API server refuses it: the sync fails
	Recreate                 // deleted and recreated, or started from another disk; data is kept
	Delete                   // the object goes; its disks are kept
	DataLoss                 // data goes
)

// levelNames are the names in output, in the order of the levels.
var levelNames = []string{
	"none", "create", "metadata", "left", "live", "migrate", "staged", "restart", "power",
	"node-network", "node-reboot", "refused", "recreate", "delete", "data-loss",
}

// Levels returns all levels, mildest first.
func Levels() []Level {
	out := make([]Level, len(levelNames))
	for i := range out {
		out[i] = Level(i)
	}
	return out
}

// String returns the name, such as "data-loss".
func (l Level) String() string { return levelNames[l] }

// MarshalText returns the name, as in [Level.String].
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a name. The error for another text lists the names.
func (l *Level) UnmarshalText(text []byte) error {
	i := slices.Index(levelNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown level %q; accepted: %s", text, strings.Join(levelNames, ", "))
	}
	*l = Level(i)
	return nil
}

// Meaning returns what a level means, in a few words.
func (l Level) Meaning() string {
	return [...]string{
		"nothing happens",
		"a new object",
		"labels, annotations or settings that the running VM does not see",
		"removed from Git; stays in the cluster and keeps running",
		"changed while the VM runs",
		"changed by a live migration",
		"silent; takes effect at the next start",
		"needs a restart",
		"starts or stops the VM",
		"changes the network of nodes",
		"reboots nodes",
		"rejected by the API server or a webhook: the sync fails",
		"recreated, or started from another disk; the data is kept",
		"deleted; the disks are kept",
		"data is lost",
	}[l]
}
