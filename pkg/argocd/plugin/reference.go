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

// References returns all parameters, for the documentation.
func References() []Reference {
	table := parameters()
	all := make([]Reference, len(table))
	for i, p := range table {
		all[i] = Reference{p.Announcement, variable(p.Name), p.of, p.details, p.example}
	}
	return all
}
