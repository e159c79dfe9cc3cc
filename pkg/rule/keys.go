package rule

// Keys and values
const (
	// UnknownKey is a key that does not exist at this place.
	UnknownKey ID = "unknown-key"
	// MissingKey is a required key that is not set at any level.
	MissingKey ID = "missing-key"
	// WrongType is a value whose type does not fit its key, such as a list instead of a map.
	WrongType ID = "wrong-type"
	// UnknownValue is a value that is not one of those that its key accepts.
	UnknownValue ID = "unknown-value"
	// OutOfRange is a number outside the range that its key accepts.
	OutOfRange ID = "out-of-range"
	// InvalidValue is a value that Kubernetes cannot parse as the type of its field, such as a quantity.
	InvalidValue ID = "invalid-value"
	// BadValue is a value of the right type whose form is invalid.
	BadValue ID = "bad-value"
	// BadQuantity is a quantity of memory or storage that is invalid or too small.
	BadQuantity ID = "bad-quantity"
	// Conflict is a combination of settings that exclude each other, or a setting that has no effect next to another.
	Conflict ID = "conflict"
	// Template is a template in a value that cannot be parsed or evaluated.
	Template ID = "template"
)
