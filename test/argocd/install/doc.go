// Package install holds tests: every way to install the plugin, under plugin/,
// is decoded strictly and laid over Argo CD's own repo-server, and what comes out
// is validated by the code of Kubernetes' API server.
package install
