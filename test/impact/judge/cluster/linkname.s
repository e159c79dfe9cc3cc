// Lets a Go file declare a function without a body, for go:linkname.
