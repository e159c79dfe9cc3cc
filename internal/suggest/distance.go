package suggest

import "strings"

// compared is how many letters of a name are compared: one bit of a word for each.
const compared = 64

// pattern is a name that others are compared with, without regard to case: for each letter, a bit for every place
// where the name has it.
type pattern struct {
	places map[rune]uint64
	length int
}

func newPattern(name string) *pattern {
	p := &pattern{places: map[rune]uint64{}}
	for _, letter := range strings.ToLower(name) {
		if p.length == compared {
			break
		}
		p.places[letter] |= 1 << p.length
		p.length++
	}
	return p
}

// distance returns the number of letters to insert, delete or replace until a name is the pattern, in one step for each
// letter of the name (Gene Myers, A fast bit-vector algorithm for approximate string matching, Journal of the ACM 46,
// 1999). Only the first letters of long names count.
func (p *pattern) distance(name string) int {
	if p.length == 0 {
		return min(len([]rune(name)), compared)
	}
	rising, falling := ^uint64(0), uint64(0) // where the distance grows or shrinks along the pattern
	last := uint64(1) << (p.length - 1)
	distance, read := p.length, 0
	for _, letter := range strings.ToLower(name) {
		if read++; read > compared {
			break
		}
		equal := p.places[letter]
		diagonal := (((equal & rising) + rising) ^ rising) | equal | falling
		up, down := falling|^(diagonal|rising), rising&diagonal
		switch {
		case up&last != 0:
			distance++
		case down&last != 0:
			distance--
		}
		up, down = up<<1|1, down<<1
		rising, falling = down|^(diagonal|up), up&diagonal
	}
	return distance
}
