package values

import (
	"reflect"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// Form is the short form of a map: a scalar that can be written in its place.
// The struct field that contains it determines the type of the scalar.
type Form struct {
	// Key is the key of the map that the scalar is the value of. It is empty if no key has that meaning: then
	// the scalar is the [source.Node.Short] of the map.
	Key string
	// Clears are the inherited keys that the scalar removes.
	Clears []string
	// Noun is the name of the scalar in the reference, and Example an example for it.
	Noun, Example string
}

// topology are the keys of `cpu` that the number of virtual CPUs replaces, and
// that replace it.
var topology = []string{"sockets", "cores", "threads"}

// Forms contains the short form of every type that has one.
var Forms = map[reflect.Type]Form{
	reflect.TypeFor[CPU](): {
		Clears: topology, Noun: "integer",
		Example: "`cpu: 4` is 4 virtual CPUs, as sockets or as cores depending on the operating system",
	},
	reflect.TypeFor[Memory](): {
		Key: "guest", Noun: "quantity",
		Example: "`memory: 16Gi` is `memory: {guest: 16Gi}`",
	},
	reflect.TypeFor[Matcher](): {
		Key: "name", Clears: []string{"kind", "inferFrom"}, Noun: "name",
		Example: "`instancetype: u1.medium` is `instancetype: {name: u1.medium}`",
	},
	reflect.TypeFor[Disk](): {
		Key: "size", Noun: "quantity",
		Example: "`data: 120Gi` is `data: {size: 120Gi}`",
	},
	reflect.TypeFor[Source](): {
		Key: "blank", Noun: "`blank`",
		Example: "`source: blank` is `source: {blank: true}`; only for disks",
	},
	reflect.TypeFor[NIC](): {
		Key: "network", Noun: "network",
		Example: "`[pod, vlan2003]` is `[{network: pod}, {network: vlan2003}]`",
	},
	reflect.TypeFor[Port](): {
		Key: "port", Noun: "port",
		Example: "`[80]` is `[{port: 80}]`",
	},
	reflect.TypeFor[ServicePort](): {
		Key: "port", Noun: "port",
		Example: "`[80, 443]` is `[{port: 80}, {port: 443}]`",
	},
	reflect.TypeFor[CPUFeature](): {
		Key: "name", Noun: "name",
		Example: "`[vmx]` is `[{name: vmx}]`",
	},
	reflect.TypeFor[Device](): {
		Key: "device", Noun: "device",
		Example: "`[nvidia.com/GA102GL_A10]` is `[{device: nvidia.com/GA102GL_A10}]`",
	},
	reflect.TypeFor[Firmware](): {
		Key: "type", Noun: "type",
		Example: "`firmware: efi` is `firmware: {type: efi}`",
	},
	reflect.TypeFor[TPM](): {
		Noun:    "boolean",
		Example: "`tpm: true` is a TPM without persistent state, `tpm: false` means no TPM",
	},
	reflect.TypeFor[Service](): {
		Key: "port", Noun: "port",
		Example: "`https: 443` is `https: {port: 443}`",
	},
	reflect.TypeFor[Migrate](): {
		Key: "vm", Noun: "VM in vSphere",
		Example: "`migrate: vm-1234` is `migrate: {vm: vm-1234}`",
	},
	reflect.TypeFor[Approve](): {
		Key: "restart", Noun: "token",
		Example: "`approve: TOKEN` is `approve: {restart: TOKEN}`",
	},
	reflect.TypeFor[Maintenance](): {
		Key: "window", Noun: "window",
		Example: "`maintenance: Sun 02:00-04:00 UTC` is `maintenance: {window: Sun 02:00-04:00 UTC}`",
	},
	reflect.TypeFor[Snapshots](): {
		Key: "schedule", Noun: "schedule",
		Example: "`snapshots: daily 01:30 UTC` is `snapshots: {schedule: daily 01:30 UTC}`",
	},
	reflect.TypeFor[RestoreFrom](): {
		Key: "snapshot", Noun: "snapshot",
		Example: "`restoreFrom: NAME` is `restoreFrom: {snapshot: NAME}`",
	},
	reflect.TypeFor[Lifecycle](): {
		Key: "type", Noun: "type",
		Example: "`lifecycle: cattle` is `lifecycle: {type: cattle}`",
	},
}

// long returns the map that the scalar n is short for. It returns any other
// node unchanged.
func (f *Form) long(n *source.Node) *source.Node {
	if !n.IsScalar() {
		return n
	}
	m := source.EmptyMap(n)
	m.Fields = make([]source.Field, 0, 1+len(f.Clears))
	if f.Key == "" {
		m.Short = n
	} else {
		m.Add(f.Key, n)
		m.Style = source.ShortForm
	}
	if len(f.Clears) > 0 {
		null := source.NewNull(m)
		for _, k := range f.Clears {
			m.Add(k, null)
		}
	}
	return m
}

// longForms returns, for each VM key whose value or entries have a short form,
// the function that returns the long form of its value.
var longForms = sync.OnceValue(func() map[string]func(*source.Node) *source.Node {
	long := map[string]func(*source.Node) *source.Node{}
	for field := range reflect.TypeFor[VM]().Fields() {
		t := field.Type
		entries := t.Kind() == reflect.Map
		for t.Kind() == reflect.Map || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		form, ok := Forms[t]
		if !ok {
			continue // items of lists, which do not merge, decode themselves: see items.go
		}
		value := form.long
		switch t {
		case reflect.TypeFor[CPU]():
			value = form.longCPU
		case reflect.TypeFor[Disk]():
			value = form.longDisk
		}
		if entries {
			value = eachValue(value)
		}
		long[Key(field)] = value
	}
	return long
})

// Long returns VM keys with every short form in its long form, so that both
// merge in the same way across levels.
func Long(vm *source.Node) *source.Node {
	if vm == nil || vm.Kind != source.Map {
		return vm
	}
	forms := longForms()
	return vm.MapValues(func(key string, value *source.Node) *source.Node {
		if long, ok := forms[key]; ok {
			return long(value)
		}
		return value
	})
}

func eachValue(long func(*source.Node) *source.Node) func(*source.Node) *source.Node {
	return func(n *source.Node) *source.Node {
		if n.Kind != source.Map {
			return n
		}
		return n.MapValues(func(_ string, value *source.Node) *source.Node { return long(value) })
	}
}

// longCPU returns the long form of `cpu`, in which keys of the topology
// replace an inherited number of virtual CPUs.
func (f *Form) longCPU(n *source.Node) *source.Node {
	if n.Kind != source.Map {
		return f.long(n)
	}
	if n.Short != nil || !slices.ContainsFunc(topology, func(k string) bool { return n.Field(k) != nil }) {
		return n
	}
	out := *n
	out.Short = source.NewNull(n)
	return &out
}

func (f *Form) longDisk(n *source.Node) *source.Node {
	if n.Kind != source.Map {
		return f.long(n)
	}
	from := n.Field("source")
	if from == nil {
		return n
	}
	v := LongSource(from.Value)
	if v == from.Value {
		return n
	}
	out := n.WithFields()
	out.Field("source").Value = v
	return out
}

// LongSource returns the source of a disk in its long form.
func LongSource(n *source.Node) *source.Node {
	if n.Kind == source.String && n.Text == "blank" {
		yes := *n
		yes.Kind, yes.Text, yes.Style = source.Bool, "true", source.Plain
		m := source.EmptyMap(n)
		m.Add("blank", &yes)
		n = m
	}
	return catalog.NormalizeSource(n)
}
