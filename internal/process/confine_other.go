//go:build !linux

package process

import "fmt"

// Confine returns the environment variables with which a Go process tries to use no more than a number of MiB. There
// is no limit that the system enforces.
func Confine(mib int) ([]string, error) {
	return []string{fmt.Sprintf("GOMEMLIMIT=%dMiB", mib*3/4), "GOTRACEBACK=none"}, nil
}
