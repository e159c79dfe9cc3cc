package render

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// identities are those of all objects of an output, and of what KubeVirt makes of them, as far as it is known: Argo CD
// applies one of two objects with the same, in an order of its choice.
type identities struct {
	all   []identity
	later []manifest.ID // of what KubeVirt makes
}

// identity is an object, in the memory of a few words: a fleet has hundreds of thousands.
type identity struct {
	hash  uint64 // of group, kind, namespace and name
	owner int32  // what it is rendered for, by the order in which it was rendered
	line  int32  // among its objects or, below 0, in later
}

// add adds the objects of an owner.
func (n *identities) add(owner int, objects []runtime.Object) {
	for i, o := range objects {
		kind := o.GetObjectKind().GroupVersionKind()
		namespace, name := "", ""
		switch o := o.(type) {
		case metav1.Object:
			namespace, name = o.GetNamespace(), o.GetName()
		case *writtenObject:
			namespace, name = o.tree.Get("metadata", "namespace").Str(), o.tree.Get("metadata", "name").Str()
		}
		n.all = append(n.all, identity{hashOf(kind.Group, kind.Kind, namespace, name), int32(owner), int32(i)})
		if pool, ok := o.(*poolv1.VirtualMachinePool); ok {
			n.addMembers(owner, pool)
		}
	}
}

const cdiGroup = "cdi.kubevirt.io"

// addMembers adds the VMs of a pool and their disks (kubevirt v1.8.4, pkg/virt-controller/watch/pool/pool.go).
func (n *identities) addMembers(owner int, o *poolv1.VirtualMachinePool) {
	templates := o.Spec.VirtualMachineTemplate.Spec.DataVolumeTemplates
	for i := range int(*o.Spec.Replicas) {
		suffix := "-" + strconv.Itoa(i)
		n.addLater(owner, "kubevirt.io", "VirtualMachine", o.Namespace, o.Name+suffix)
		for j := range templates {
			n.addLater(owner, cdiGroup, "DataVolume", o.Namespace, templates[j].Name+suffix)
		}
	}
}

func (n *identities) addLater(owner int, group, kind, namespace, name string) {
	n.later = append(n.later, manifest.ID{
		APIVersion: group + "/v1", Kind: kind, Namespace: strings.Clone(namespace), Name: strings.Clone(name),
	})
	n.all = append(n.all, identity{hashOf(group, kind, namespace, name), int32(owner), -int32(len(n.later))})
}

// hashOf returns an FNV-1a hash of texts.
func hashOf(texts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, text := range texts {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
		h *= 1099511628211 // between two texts
	}
	return h
}

// report reports the objects that share an identity.
func (n *identities) report(owners []Rendered, diags *source.Diagnostics) {
	slices.SortFunc(n.all, func(a, b identity) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return cmp.Or(owners[a.owner].pos.Compare(owners[b.owner].pos),
			cmp.Compare(a.owner, b.owner), cmp.Compare(a.line, b.line))
	})
	var known map[source.Pos]bool
	for i := 1; i < len(n.all); i++ {
		a, b := n.all[i-1], n.all[i]
		if a.hash != b.hash {
			continue
		}
		id := n.idOf(b, owners)
		was := n.idOf(a, owners)
		if was.Group() != id.Group() || was.Kind != id.Kind || was.Namespace != id.Namespace || was.Name != id.Name {
			continue // a collision of hashes
		}
		if known == nil {
			known = duplicatesIn(diags)
		}
		first, second := &owners[a.owner], &owners[b.owner]
		if known[second.pos] || known[first.pos] {
			continue
		}
		diags.Errorf(second.pos, rule.Duplicate, second.path, "its %s %q is also one of %s; rename one of them",
			id.Kind, id.Name, first.described())
	}
}

// described returns what objects are rendered for, with its position.
func (r *Rendered) described() string {
	if r.Jobs {
		return "the Jobs of the fleet"
	}
	return "the VM " + strconv.Quote(r.Name) + " at " + r.pos.String()
}

// idOf returns the identity of an object, from the text that is kept of it.
func (n *identities) idOf(i identity, owners []Rendered) manifest.ID {
	if i.line < 0 {
		return n.later[-i.line-1]
	}
	lines := bytes.Split(owners[i.owner].text, []byte{'\n'})
	if int(i.line) >= len(lines) {
		return manifest.ID{} // the output is too large, and is not kept
	}
	return manifest.Identify(lines[i.line])
}

// duplicatesIn returns the positions at which duplicates are reported already, with better messages.
func duplicatesIn(diags *source.Diagnostics) map[source.Pos]bool {
	known := map[source.Pos]bool{}
	for _, d := range diags.Sorted() {
		if d.Rule == rule.Duplicate {
			known[d.Pos] = true
		}
	}
	return known
}
