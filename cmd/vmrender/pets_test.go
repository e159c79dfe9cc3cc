package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Only a Job that a user has created acts outside of the window.
func TestIsOnDemand(t *testing.T) {
	now := time.Date(2026, 11, 27, 22, 30, 0, 0, time.UTC)
	for job, want := range map[string]bool{
		"":                         false, // the cluster does not tell
		"site-1-window-29930310":   false,
		"site-1-window-29928870":   false, // a day late
		"site-1-window-2611272230": true,  // of Argo CD
		"site-1-window-1":          true,
		"site-1-window":            true,
		"now":                      true,
		"29930310":                 false,
	} {
		require.Equal(t, want, (&petFlags{job: job}).isOnDemand("site-1-window", now), job)
	}
}
