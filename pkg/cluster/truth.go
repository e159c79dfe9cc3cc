package cluster

// Truth is what is known about a fact.
type Truth uint8

// What is known.
const (
	Unknown Truth = iota
	No
	Yes
)

// Known returns what is known for sure.
func Known(v bool) Truth {
	if v {
		return Yes
	}
	return No
}
