package cluster

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
)

//go:embed audit.yaml
var auditPolicy []byte

const auditLog = "audit.log"

// writeAuditPolicy writes what the API server records into a file of the directory, and
// returns its path.
func (c *Cluster) writeAuditPolicy() (string, error) {
	path := filepath.Join(c.dir, "audit.yaml")
	return path, os.WriteFile(path, auditPolicy, 0o600)
}

// Audited returns the events that the API server has recorded so far, of changes of
// VMs: JSON, in the order in which they were answered.
func (c *Cluster) Audited() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, auditLog))
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}
