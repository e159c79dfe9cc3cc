package fleet

import (
	"maps"
	"slices"
)

// FunctionNames are the functions that templates can call.
func FunctionNames() []string { return slices.Sorted(maps.Keys(hermetic())) }
