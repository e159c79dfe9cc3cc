// Package upgrade has the facts about upgrades of the platform: what they change for VMs whose manifests stay the same.
package upgrade
