package render

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts stay as they are, whatever their sizes, and however many goroutines add some.
func TestChunks(t *testing.T) {
	var kept chunks
	var workers sync.WaitGroup
	texts := make([][][]byte, 4)
	for worker := range texts {
		workers.Go(func() {
			for _, size := range []int{0, 1, 5000, largestChunk - 1, largestChunk, 3 * largestChunk, 7, 60_000} {
				texts[worker] = append(texts[worker], kept.add(bytes.Repeat([]byte{byte(size + worker)}, size)))
			}
		})
	}
	workers.Wait()
	for worker, own := range texts {
		for _, text := range own {
			require.Equal(t, len(text), cap(text), "what is appended to a text would change the next one")
			require.Equal(t, len(text), bytes.Count(text, []byte{byte(len(text) + worker)}))
		}
	}
}
