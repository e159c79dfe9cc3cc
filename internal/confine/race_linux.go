//go:build race

package confine

// raced reports whether the race detector is on. It maps terabytes of shadow memory, so a program with it starts only
// without a limit.
const raced = true
