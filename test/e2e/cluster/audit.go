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

// writeAuditPolicy writes the audit policy of the API server to a file in the
// directory, and returns its path.
func (c *Cluster) writeAuditPolicy() (string, error) {
	path := filepath.Join(c.dir, "audit.yaml")
	return path, os.WriteFile(path, auditPolicy, 0o600)
}

// Audited returns the events of changes to VMs that the API server has recorded so far:
// JSON, in the order in which they were answered.
func (c *Cluster) Audited() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, auditLog))
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}
