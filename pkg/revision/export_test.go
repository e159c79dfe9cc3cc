package revision

import "math"

// CopyTo sets the directories for copies and the room in the first, small one.
func (r *Repository) CopyTo(small string, room int64, large string) {
	r.places = []place{{small, room}, {large, math.MaxInt64}}
}
