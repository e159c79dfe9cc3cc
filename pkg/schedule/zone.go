package schedule

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/suggest"
)

// zoneList has the names of the time zone database that Go's programs contain, such as the API server, which refuses a
// CronJob with another one (golang/go, lib/time/zoneinfo.zip, 2025).
//
//go:embed zones.txt
var zoneList string

var zones = sync.OnceValue(func() []string { return strings.Fields(zoneList) })

// CheckZone returns an error if a text is not the IANA name of a time zone.
func CheckZone(name string) error {
	if _, ok := slices.BinarySearch(zones(), name); ok {
		return nil
	}
	return fmt.Errorf("unknown time zone %q; expected an IANA name, such as \"Europe/Berlin\" or \"UTC\"%s",
		name, near(name))
}

// near returns the nearest name as a question, or "".
func near(name string) string {
	nearest, ok := suggest.Nearest(name, zones())
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}
