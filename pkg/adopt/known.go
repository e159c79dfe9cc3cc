package adopt

import (
	"errors"
	"fmt"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/values"
)

// known is what the manifests say besides the machines.
type known map[manifest.ID]tree

func index(objects []manifest.Object) known {
	k := known{}
	for _, o := range objects {
		k[o.ID] = o.Tree()
	}
	return k
}

// guess returns the operating system of a machine, as far as its objects say it.
func (k known) guess(l *live) Guess {
	return DetectOS(l.object, Related{
		Instance: k.get("kubevirt.io/v1", "VirtualMachineInstance", l.Namespace, l.Name), Disks: k.disks(l),
	})
}

// disks returns the DataVolumes and claims of a machine's volumes, in their order.
func (k known) disks(l *live) []tree {
	var out []tree
	for i := range l.spec().Volumes {
		name := claimOf(&l.spec().Volumes[i])
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

func (k known) get(apiVersion, kind, namespace, name string) tree {
	return k[manifest.ID{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}]
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

// refusal returns why a machine must not be taken, or nil.
func refusal(l *live) error {
	if by := ManagedBy(l.object); by != "" {
		return errors.New(by)
	}
	if l.vm.Spec.Running != nil && l.vm.Spec.RunStrategy != nil {
		return errors.New("spec: both running and runStrategy; KubeVirt accepts one")
	}
	if strings.Contains(l.Name, ".") || values.NameProblem(l.Name) != "" {
		return fmt.Errorf("the name %q cannot be that of an entry: %s", l.Name, values.NameProblem(l.Name))
	}
	return nil
}
