// Package adopt turns VirtualMachines that exist into a fleet that renders back to them.
package adopt
