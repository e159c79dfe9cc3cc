package sizing

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
)

// Run is one measurement of test/e2e/scale: Applications of the same size on real servers of
// Argo CD and Kubernetes, without a hypervisor.
type Run struct {
	// Applications is the number of Applications; all other counts of objects are those of one.
	Applications int `json:"applications"`
	// VMs is the number of VMs of one Application.
	VMs int `json:"vms"`
	// Objects is the number of rendered objects of one Application.
	Objects int `json:"objects"`
	// Bytes is the size of these objects, as the plugin prints them.
	Bytes int `json:"bytes"`
	// Files is the number of files in the repository, which each render sends.
	Files int `json:"files"`
	// Clusters is the number of API servers that the Applications are spread over.
	Clusters int `json:"clusters"`
	// Controllers is the number of application controllers, which share the clusters.
	Controllers int `json:"controllers"`
	// Unvalidated is whether the Applications have the sync option Validate=false.
	Unvalidated bool `json:"unvalidated,omitempty"`
	// CPUs is the number of CPUs of the computer, which all servers shared.
	CPUs int `json:"cpus"`
	// Phases are what was measured, in order.
	Phases []Phase `json:"phases"`
}

// Phase is one of the phases of a [Run].
type Phase struct {
	// Name is one of the constants below.
	Name string `json:"name"`
	// Wall is the time in seconds from the commit until Argo CD has recorded every Application as Synced.
	Wall float64 `json:"wall"`
	// Idle is the CPU time in seconds that the computer had nothing to do until then.
	Idle float64 `json:"idle"`
	// CPU is the CPU time in seconds by [Part], until the servers are idle again.
	CPU map[Part]float64 `json:"cpu"`
	// Peak is the largest resident memory in MiB of one process of the part, without the programs that it runs.
	Peak map[Part]float64 `json:"peak"`
	// Requests is the number of requests that API servers answered, by verb.
	Requests map[string]int `json:"requests"`
}

// The phases of a run.
const (
	// First is the creation of all objects, with the start of the watches.
	First = "first sync"
	// Refresh is the comparison of all Applications without a new commit, as at each interval of reconciliation.
	Refresh = "refresh of all"
	// All is a commit that changes every VM.
	All = "commit to all"
	// One is a commit that changes the VMs of one Application, which a webhook reports.
	One = "commit to one"
)

// Part is a group of servers.
type Part string

// The parts whose cost is measured.
const (
	Controller Part = "application controller" // all shards
	RepoServer Part = "repo-server"            // with git
	Sidecar    Part = "sidecar"                // cmp-server and vmrender-cmp
	Redis      Part = "redis"
	APIServer  Part = "kube-apiserver" // of all clusters
	Etcd       Part = "etcd"           // of all clusters
	Webhooks   Part = "webhooks"       // the admission code of KubeVirt and CDI
)

//go:embed measured.json
var measured []byte

// measuredRuns returns the runs of Applications that have, or do not have, Validate=false: those that the
// model is made from, from Applications with one VM each to large ones, and those that confirm it.
func measuredRuns(unvalidated bool, least int) ([]Run, error) {
	var runs []Run
	if err := json.Unmarshal(measured, &runs); err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool { return r.Unvalidated != unvalidated })
	if len(runs) < least {
		return nil, fmt.Errorf("measured.json has %d runs of a kind; expected %d", len(runs), least)
	}
	return runs, nil
}

// Phase returns the phase of that name, or an empty one if it was not measured.
func (r *Run) Phase(name string) Phase {
	for _, p := range r.Phases {
		if p.Name == name {
			return p
		}
	}
	return Phase{Name: name}
}
