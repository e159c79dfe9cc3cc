package values

import "github.com/vmrender/vmrender/pkg/source"

// OfFlavor returns the cpu and memory of a flavor as VM keys in their long
// forms, at the position of at. They replace everything that another flavor
// sets.
func OfFlavor(flavor, at *source.Node) *source.Node {
	keys := Long(source.Reposition(flavor, at))
	out := source.EmptyMap(at)
	cpu, memory := source.EmptyMap(at), source.EmptyMap(at)
	cpu.Short = source.NewNull(at)
	for _, k := range []string{
		"sockets", "cores", "threads", "maxSockets", "dedicated", "isolateEmulator", "numa", "realtime",
	} {
		cpu.Add(k, source.NewNull(at))
	}
	for _, k := range []string{"guest", "max", "hugepages"} {
		memory.Add(k, source.NewNull(at))
	}
	out.Add("cpu", over(cpu, keys.Get("cpu")))
	out.Add("memory", over(memory, keys.Get("memory")))
	return out
}

// over sets the entries of a map in base, which it changes. Unlike a merge, it
// keeps the nulls of both.
func over(base, entries *source.Node) *source.Node {
	if entries == nil {
		return base
	}
	if entries.Short != nil {
		base.Short = entries.Short
	}
	for _, f := range entries.Fields {
		if at := base.Field(f.Key); at != nil {
			at.Value = f.Value
		} else {
			base.Fields = append(base.Fields, f)
		}
	}
	return base
}
