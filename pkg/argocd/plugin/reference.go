package plugin

// Reference is what the documentation says of a parameter.
type Reference struct {
	Announcement
	// Variable is the name under `plugin.env` that stands for it.
	Variable string
	// Content is what a directory holds that has use for it.
	Content Content
	// Example is a value as it is written in an Application.
	Example string
}

// References are all parameters, for the documentation.
func References() []Reference {
	table := parameters()
	all := make([]Reference, len(table))
	for i, p := range table {
		all[i] = Reference{p.Announcement, variable(p.Name), p.of, p.example}
	}
	return all
}
