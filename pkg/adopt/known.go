package adopt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// Known is what the manifests of a cluster contain in addition to the VMs, such as their instances and claims.
type Known map[manifest.ID]manifest.Object

// Index returns what the objects contain. Of several with the same identity, the last counts.
func Index(objects []manifest.Object) Known {
	k := Known{}
	for _, o := range objects {
		k[o.ID] = o
	}
	return k
}

// Guess returns the operating system of a VM: the one that is chosen for it, or else the one that its objects show, as
// [DetectOS] has it.
func (k Known) Guess(l *draft.Live, chosen Choice) Guess {
	if chosen.OS != "" {
		return Guess{chosen.OS, "os from the mapping"}
	}
	return DetectOS(l.Object(), Related{
		Instance: k.get("kubevirt.io/v1", "VirtualMachineInstance", l.Namespace, l.Name), Disks: k.disks(l),
	})
}

// disks returns the DataVolumes and claims of a VM's volumes, in their order.
func (k Known) disks(l *draft.Live) []tree {
	var out []tree
	for i := range l.Spec().Volumes {
		name := claimOf(&l.Spec().Volumes[i])
		for _, d := range []tree{
			k.get("cdi.kubevirt.io/v1beta1", "DataVolume", l.Namespace, name),
			k.get("v1", "PersistentVolumeClaim", l.Namespace, name),
		} {
			if d != nil {
				out = append(out, d)
			}
		}
	}
	return out
}

func (k Known) get(apiVersion, kind, namespace, name string) tree {
	o, ok := k[manifest.ID{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}]
	if !ok {
		return nil
	}
	return o.Tree()
}

// vlan returns the VLAN of a network, or 0 if its definition names none, or more than one
// (containernetworking/plugins, plugins/main/bridge, v1.9.0; a plugin of a chain has the
// same form).
func (k Known) vlan(nad string) int {
	namespace, name, _ := strings.Cut(nad, "/")
	d := k.get("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", namespace, name)
	config := manifest.Decode([]byte(manifest.Text(d, "spec", "config")))
	for _, of := range append([]any{config}, manifest.List(config, "plugins")...) {
		if n, err := strconv.Atoi(fmt.Sprint(manifest.At(of, "vlan"))); err == nil {
			return n
		}
	}
	return 0
}

// target returns the versions that the objects show: that of KubeVirt.
func (k Known) target() *source.Node {
	for id, object := range k {
		if id.Kind != "KubeVirt" || id.Group() != "kubevirt.io" {
			continue
		}
		observed := manifest.Text(object.Tree(), "status", "observedKubeVirtVersion")
		version := strings.Split(strings.TrimPrefix(observed, "v"), ".")
		if len(version) > 1 {
			n := node.Map{}
			n.Set("kubevirt", version[0]+"."+version[1])
			return n.Node()
		}
	}
	return nil
}

// claimOf returns the name of the claim of a volume, or "".
func claimOf(v *kubevirtv1.Volume) string {
	switch {
	case v.DataVolume != nil:
		return v.DataVolume.Name
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	}
	return ""
}

// Refusal returns why a VM must not become an entry of a fleet, in words for users, or nil: another tool manages it, it
// is being deleted, or its name cannot be that of an entry.
func Refusal(l *draft.Live) error {
	o := l.Object()
	if by := ManagedBy(o); by != "" {
		return errors.New(by)
	}
	if l.VM.Spec.Running != nil && l.VM.Spec.RunStrategy != nil {
		return errors.New("spec: both running and runStrategy; KubeVirt accepts one")
	}
	if manifest.Text(o, "metadata", "deletionTimestamp") != "" {
		return errors.New("it is being deleted; import it again if it is recreated")
	}
	if manifest.Text(o, "metadata", "name") == "" {
		return errors.New("metadata.name: missing; generateName is for VMs that do not exist yet")
	}
	if strings.Contains(l.Name, ".") || values.NameProblem(l.Name) != "" {
		return fmt.Errorf("the name %q cannot be that of an entry: %s", l.Name, values.NameProblem(l.Name))
	}
	if problem := values.NameProblem(l.Namespace); l.Namespace != "" && problem != "" {
		return fmt.Errorf("metadata.namespace: %s", problem)
	}
	return nil
}
