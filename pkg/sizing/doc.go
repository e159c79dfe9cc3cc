// Package sizing predicts what Argo CD and the API servers need for a fleet: CPU time, memory, requests and the
// time from a commit until all Applications are Synced. Its numbers come from measurements of test/e2e/scale,
// which are in measured.json, and from the tables of docs/explanation/performance.md. It contacts nothing and
// reads no files.
package sizing
