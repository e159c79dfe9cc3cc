// Package drill finds out what a rebuild of each VM at another site would lose: it has what Git renders, and what
// leaves the site in backups and replicas. Everything else that the VM is and needs is a [Loss], with what closes the
// gap.
//
// Only objects are compared. Whether a backup can be restored, and whether an image can still be downloaded, is for
// drills that restore it.
package drill
