package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Origin is the resource of Terraform that a VM comes from.
type Origin struct {
	File, Address string
	// Disks are the addresses of the DataVolumes and claims that the VM uses.
	Disks []string
	// Sensitive is true if Terraform marks something of the VM as sensitive.
	Sensitive bool
}

// stepsSensitive is what is to be done about values that Terraform marks as sensitive.
const stepsSensitive = "Values that Terraform marks as sensitive are in the fleet in plain text if a key, such as " +
	"cloudInit.userData, has them: read the files before you commit them, and move secrets into Secrets"

// NoteOrigins adds to VMs the resources of Terraform that they come from, by NAMESPACE/NAME, and how to release them
// there. Like those of a chart, they are imported all the same: the fleet replaces their configuration. Values of a VM
// with sensitive ones are removed from its report.
func NoteOrigins(vms []*Machine, origins map[string]Origin) {
	var noted []*Machine
	var released []string
	for _, m := range vms {
		o, ok := origins[m.Namespace+"/"+m.Name]
		if !ok {
			continue
		}
		if o.Sensitive {
			m.hide()
		}
		note := Note{Text: fmt.Sprintf("Terraform manages the VM: %s: %s", o.File, o.Address)}
		if m.Notes = append(m.Notes, note); m.Refused == "" {
			noted, released = append(noted, m), append(append(released, o.Address), o.Disks...)
		}
	}
	steps := releaseSteps(released)
	for _, m := range noted {
		i := slices.IndexFunc(m.Notes, func(n Note) bool { return strings.HasPrefix(n.Text, "Terraform manages") })
		m.Notes[i].Steps = steps
	}
}

// hide removes values from the report of a VM.
func (m *Machine) hide() {
	m.Hidden, m.Effects = true, nil
	for i, d := range m.Differences {
		m.Differences[i] = PathOf(d) + ": differs; values are not shown"
	}
	for i, n := range m.Notes {
		if n.Steps == "" { // one of [ByHand]
			m.Notes[i].Text = PathOf(n.Text) + ": changed in the cluster; values are not shown"
		}
	}
	if m.Refused != "" {
		m.Refused = "the reason can contain values that Terraform marks as sensitive, and is not shown; " +
			"import the manifest of the cluster to see it"
	}
	m.Notes = append(m.Notes, Note{"Terraform marks values of the VM as sensitive", stepsSensitive})
}

// PathOf returns the path at the beginning of a difference, an effect or a sentence of [ByHand].
func PathOf(text string) string {
	path, _, _ := strings.Cut(text, ": ")
	return path
}

// instanceKey is the key of an instance in an address.
var instanceKey = lazyregexp.New(`\[(?:\d+|"(?:[^"\\]|\\.)*")\]`)

// releaseSteps returns how Terraform releases resources. A `removed` block names a resource with all its instances
// (hashicorp/terraform v1.9, internal/configs/removed.go, and the page "removed block" of its documentation).
func releaseSteps(addresses []string) string {
	var out strings.Builder
	out.WriteString("Two tools that manage one VM revert each other, and Terraform destroys a VM or a disk that its " +
		"configuration loses. Before the first sync, remove these resources from the configuration and from the state, " +
		"which destroys nothing (tofu for OpenTofu):\n  terraform state rm")
	resources := make([]string, 0, len(addresses))
	slices.Sort(addresses)
	for _, a := range slices.Compact(addresses) { // VMs can share a disk
		out.WriteString(" '" + strings.ReplaceAll(a, "'", `'\''`) + "'")
		resources = append(resources, instanceKey().ReplaceAllString(a, ""))
	}
	out.WriteString("\nor replace them by these blocks, each for all instances of a resource, and apply:\n")
	slices.Sort(resources)
	for _, r := range slices.Compact(resources) {
		fmt.Fprintf(&out, "  removed {\n    from = %s\n    lifecycle {\n      destroy = false\n    }\n  }\n", r)
	}
	out.WriteString("Continue when `terraform plan` destroys none of the VMs and none of their disks")
	return out.String()
}
