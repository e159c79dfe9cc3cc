package confine

// Raced and Small are raced and small, for the tests.
const (
	Raced = raced
	Small = small
)
