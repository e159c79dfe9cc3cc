package manifest

// Format is the format of a stream of objects.
type Format uint8

// The formats.
const (
	YAML  Format = iota // documents separated by ---
	JSON                // one List, with each item on a line of its own
	Lists               // as JSON, but Lists of few items each, which Argo CD processes faster
)

// Formats returns the formats for people and files.
func Formats() []Format { return []Format{YAML, JSON} }

// String returns the format's name, such as "yaml".
func (f Format) String() string { return [...]string{YAML: "yaml", JSON: "json", Lists: "json"}[f] }

// Ext returns the extension of files in the format, such as ".yaml".
func (f Format) Ext() string { return "." + f.String() }
