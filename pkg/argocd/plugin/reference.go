package plugin

// Reference describes a parameter for the documentation.
type Reference struct {
	Announcement
	// Variable is the name under `plugin.env` that stands for it.
	Variable string
	// Content is the content of a directory that the parameter applies to; empty for any.
	Content Content
	// Details are further facts, as Markdown.
	Details string
	// Example is a value as it is written in an Application.
	Example string
}

// details are further facts about a parameter than its tooltip has room for.
var details = map[string]string{
	"namespace": "A namespace that the VM sets or inherits has priority",
	"vm":        "A name that no VM has is an error. `vmrender app --vm` sets no automatic pruning",
	"overlay": "An [overlay](fleet-files.md#overlays) is for one [environment](../how-to/environments.md): " +
		"a cluster or a stage. A path that leaves the repository is an error",
	"defaults": "The keys are [VM keys](values.md#vm-keys). A value is a string, number, boolean or `null`: " +
		"quote strings that would be something else, as in `\"'1'\"`. " +
		"For lists and maps, use overlays. On the command line: `--default`",
	"vars": "See [templates](fleet-files.md#templates). A value is a string; `true` and `false` are booleans. " +
		"They also override the vars of the VM. On the command line: `--set`",
	LayerParameter: "In a fleet without a platform, values other than `-` are errors",
}

// References returns all parameters, for the documentation.
func References() []Reference {
	table := parameters()
	all := make([]Reference, len(table))
	for i, p := range table {
		all[i] = Reference{p.Announcement, variable(p.Name), p.of, details[p.Name], p.example}
	}
	return all
}
