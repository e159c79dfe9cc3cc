// Package install contains tests that decode every installation of the plugin,
// under plugin/, strictly and merge it with Argo CD's own repo-server. The
// Kubernetes API server's code validates the result.
package install
