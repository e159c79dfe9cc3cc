// Package gate judges changes of VMs by the policy of their fleet: which need approvals, which tokens name them, and
// which are too dangerous. The API server judges them, too: the expressions of its admission policies are generated
// from the rules of package impact.
package gate
