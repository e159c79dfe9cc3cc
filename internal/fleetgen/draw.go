package fleetgen

import "math/rand/v2"

// draw is a source of choices.
type draw struct {
	*rand.Rand
	// wrong is one in how many values is odd, or 0 for none.
	wrong int
}

// one reports true in one of n calls.
func (d *draw) one(n int) bool { return d.IntN(n) == 0 }

// slip reports whether the next value is odd.
func (d *draw) slip() bool { return d.wrong > 0 && d.one(d.wrong) }

// pick returns one of a list, which must not be empty.
func pick[T any](d *draw, list []T) T { return list[d.IntN(len(list))] }

// some returns up to n different items of a list, in its order.
func some[T any](d *draw, list []T, n int) []T {
	var out []T
	for i, item := range list {
		left := len(list) - i
		if need := n - len(out); need > 0 && d.IntN(left) < need {
			out = append(out, item)
		}
	}
	return out
}
