package rule

// Files and YAML
const (
	// Unreadable is a file or directory that cannot be read, or standard input if there is none.
	Unreadable ID = "unreadable"
	// FileSize is a file that is larger than the limit.
	FileSize ID = "file-size"
	// Encoding is a file that is not UTF-8 text.
	Encoding ID = "encoding"
	// EmptyFile is a file without content where a fleet or values are expected.
	EmptyFile ID = "empty-file"
	// Documents is more than one YAML document in a file that must contain one.
	Documents ID = "documents"
	// YAMLSyntax is text that is not valid YAML.
	YAMLSyntax ID = "yaml-syntax"
	// DuplicateKey is a key that a map has twice.
	DuplicateKey ID = "duplicate-key"
	// KeyType is a key of a map that is not a string.
	KeyType ID = "key-type"
	// AmbiguousScalar is an unquoted value that YAML 1.1 and YAML 1.2 read differently, such as `no` or `0644`.
	AmbiguousScalar ID = "ambiguous-scalar"
	// Anchor is an alias that refers to an anchor of another document, or to the value that it is part of.
	Anchor ID = "anchor"
	// Expansion is a document that aliases expand to many times its size.
	Expansion ID = "expansion"
	// Depth is maps and lists that are nested too deeply.
	Depth ID = "depth"
	// Tag is a YAML tag that is not accepted, or that does not fit its value.
	Tag ID = "tag"
)
