package suggest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainDistance is the distance as its definition says.
func plainDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		left := row[0]
		row[0]++
		for j := range b {
			above := row[j+1]
			step := min(above, row[j]) + 1
			if a[i] != b[j] {
				left++
			}
			row[j+1], left = min(step, left), above
		}
	}
	return row[len(b)]
}

func TestDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	name := func() string {
		letters := []rune("abcäB")
		text := make([]rune, random.IntN(compared+1))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		return string(text)
	}
	for range 2000 {
		a, b := name(), name()
		want := plainDistance([]rune(strings.ToLower(a)), []rune(strings.ToLower(b)))
		require.Equal(t, want, newPattern(a).distance(b), "%q, %q", a, b)
	}
}

// Of long names, only the beginnings are compared.
func TestDistanceOfLongNames(t *testing.T) {
	long := strings.Repeat("ab", compared/2)
	require.Zero(t, newPattern(long+strings.Repeat("x", 1<<20)).distance(long+"y"))
	require.Equal(t, compared, newPattern("").distance(long+"y"))
	require.Equal(t, compared, newPattern(long+"y").distance(""))
}
