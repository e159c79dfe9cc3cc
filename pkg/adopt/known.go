package adopt

import (
	"cmp"
	"path"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/manifest"
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
func refusal(l *live) error { return nil }

// fileOf returns the file that a machine's entry is in.
func (w *work) fileOf(l *live) string {
	name := l.Namespace
	if value := l.vm.Labels[w.Label]; w.Label != "" && value != "" {
		return path.Join(name, value+".yaml")
	}
	return cmp.Or(name, "vms") + ".yaml"
}

// Mapping says what becomes of machines.
type Mapping map[string]Choice

// Choice is what becomes of one machine.
type Choice struct {
	OS, File string
}

func (m Mapping) of(id manifest.ID) (Choice, bool) {
	c, ok := m[id.Namespace+"/"+id.Name]
	return c, ok || m == nil
}

func (c Choice) guess() Guess {
	if c.OS == "" {
		return Guess{}
	}
	return Guess{c.OS, "as the mapping says"}
}
