package revision

import "math"

// CopyTo sets the directories for copies, of which the first has little room.
func (r *Repository) CopyTo(small string, room int64, large string) {
	r.places = []place{{small, room}, {large, math.MaxInt64}}
}
