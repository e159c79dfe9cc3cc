package manifest

// Format is the format of a stream of objects.
type Format uint8

// The formats.
const (
	YAML Format = iota // documents separated by ---
	JSON               // one List, with each item on a line of its own
)

// Formats returns all formats.
func Formats() []Format { return []Format{YAML, JSON} }

// String returns the format's name, such as "yaml".
func (f Format) String() string { return [...]string{YAML: "yaml", JSON: "json"}[f] }

// Ext returns the extension of files in the format, such as ".yaml".
func (f Format) Ext() string { return "." + f.String() }
