// Package status compares Git with the cluster: how far each VM is from its state in Git, and why.
package status
