package assistant

import "slices"

// role is what a field becomes in the arguments of a command.
type role int

const (
	// argument is a positional argument, after "--".
	argument role = iota
	// flag is the value of a flag, as --flag=value.
	flag
	// repeated is a list of values of a flag.
	repeated
	// given is a switch that adds the source of the state in the cluster that the server was started with.
	given
)

// field is an argument of a tool.
type field struct {
	name, about string
	role        role
	flag        string // without "--"; empty for an argument
	path        bool   // the value is a path, which must be below the root
	required    bool
	fallback    string   // the value if there is none
	accepted    []string // the values; empty for any
}

// tool is a command that assistants can run, with the flags that it always has.
type tool struct {
	name, about string
	always      []string
	fields      []field
	needs       []string    // fields of which a call must have one; empty if none
	excludes    [][2]string // fields that a call must not have both of
}

// states are the fields that name the state of the cluster, of which a call can have one.
var states = [2]string{"export", "live"}

// The fields of several tools.
var (
	overlays = field{
		name: "overlays", about: "Files to merge over the fleet, in this order.", role: repeated, flag: "overlay", path: true,
	}
	export = field{
		name: "export", about: "Export of the cluster's objects: a file.", role: flag, flag: "live", path: true,
	}
	live = field{
		name: "live", about: "Use the state in the cluster that the server was started with.", role: given,
	}
	json = []string{"--output=json"}
)

// directory is the fleet or platform that a tool reads.
func directory(about string) field {
	return field{name: "path", about: about, path: true, fallback: "."}
}

// tools returns all tools, with the kinds that their commands accept.
func tools(k Kinds) []tool {
	inFleet := directory("Fleet, or a directory or file in it.")
	inFleet.role, inFleet.flag = flag, "path"
	catalogOf := directory("Fleet whose own entries are merged over the built-in ones.")
	catalogOf.fallback = ""
	return []tool{
		{
			name: "catalog", about: "List the names that VMs can use: operating systems, flavors, networks and others.",
			always: json, fields: []field{
				{name: "kind", about: "Kind of entries.", required: true, accepted: k.Catalog}, catalogOf, overlays,
			},
		},
		{
			name: "explain", about: "Show each value of a VM, with the file and line that sets it.",
			always: json, fields: []field{
				{name: "vm", about: "Name or namespace/name of the VM.", required: true},
				{name: "key", about: "Key whose values are shown, such as disks.root; lifecycle also describes removal."},
				inFleet, overlays,
			},
		},
		{
			name: "validate", about: "Report every error and warning of the fleets and platforms in a directory.",
			always: json, fields: []field{directory("Fleet, platform, or a directory with some."), overlays},
		},
		{
			name: "plan", about: "Report what a sync does to every VM: nothing, a restart, the loss of data. " +
				"Compare path with a commit (from), or with a directory or manifests (old).",
			always: json, fields: []field{
				{
					name: "old", about: "Old state: a fleet, a platform, or a directory or file of manifests. Excludes from.",
					path: true,
				},
				directory("New state: a fleet, a platform, or manifests."),
				{
					name: "from", about: "Old revision of path: a branch, tag or commit; BRANCH... is the merge base.",
					role: flag, flag: "from",
				},
				overlays, export, live,
			},
			needs: []string{"from", "old", "export", "live"}, excludes: [][2]string{states, {"old", "from"}},
		},
		{
			name: "status", about: "Report the state of every VM: what runs, what waits for a restart, what differs from Git. " +
				"Needs export or live.",
			always: json, fields: []field{directory("Fleet or platform."), overlays, export, live},
			needs: states[:], excludes: [][2]string{states},
		},
		{
			name: "schema", about: "Print the JSON Schema of a kind of file or report, or of one key.",
			fields: []field{
				{name: "kind", about: "Kind of file or report; vms is the files with VMs.", required: true, accepted: k.Schema},
				{name: "key", about: "Dotted key, such as disks or nics.network.", role: flag, flag: "key"},
			},
		},
	}
}

// input returns the JSON Schema of the tool's arguments, which accepts no other ones.
func (t tool) input() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range t.fields {
		properties[f.name] = f.schema()
		if f.required {
			required = append(required, f.name)
		}
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}
}

func (f field) schema() map[string]any {
	s := map[string]any{"type": "string", "minLength": 1, "description": f.about}
	switch {
	case f.role == given:
		s = map[string]any{"type": "boolean", "description": f.about}
	case f.role == repeated:
		s = map[string]any{"type": "array", "items": map[string]any{"type": "string", "minLength": 1}, "description": f.about}
	case len(f.accepted) > 0:
		s["enum"] = slices.Clone(f.accepted)
	}
	return s
}
