package render

import (
	"bytes"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// plainMost is how many texts a spool keeps as they are. More than that are
// packed with one of them as the dictionary: the machines of a fleet are so
// alike that a tenth of their text remains.
//
// Measured end to end: packing keeps the peak memory of 10,000 VMs, a file each,
// at 59 instead of 93 MiB, and that of 100,000 in one file at 458 instead of
// 749 MiB. The sidecar may use 1 GiB (plugin/), with several renders at a time.
// It costs 10,000 VMs 5 % of their CPU time, and saves 100,000 in one file a third,
// since without it the heap meets the memory limit of internal/process. Packing
// small fleets too would cost 100 VMs 9 % more instructions.
const plainMost = 512

// spool keeps texts that are much alike in little memory. The zero value is
// ready to use, and safe for concurrent use.
type spool struct {
	packing sync.Pool // *[]byte

	mu   sync.Mutex
	kept int
	dict *s2.Dict // nil so far
}

// spooled is a text in a spool.
type spooled struct {
	text []byte
	dict *s2.Dict // that the text is packed with; nil for plain text
}

// put keeps a copy of the text.
func (s *spool) put(text []byte) spooled {
	dict := s.dictionary(text)
	if dict == nil {
		return spooled{text: bytes.Clone(text)}
	}
	buf, _ := s.packing.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer s.packing.Put(buf)
	*buf = slices.Grow((*buf)[:0], s2.MaxEncodedLen(len(text)))
	*buf = dict.Encode((*buf)[:cap(*buf)], text)
	return spooled{bytes.Clone(*buf), dict}
}

// dictionary returns what the next text is packed with, or nil while there are few.
func (s *spool) dictionary(text []byte) *s2.Dict {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dict == nil && s.kept >= plainMost {
		s.dict = s2.MakeDict(bytes.Clone(text), nil)
	}
	s.kept++
	return s.dict
}

// get returns the text in buf's memory, as far as that suffices.
func (t spooled) get(buf []byte) ([]byte, error) {
	if t.dict == nil {
		return append(buf[:0], t.text...), nil
	}
	return t.dict.Decode(buf[:cap(buf)], t.text)
}
