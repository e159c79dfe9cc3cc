package machine

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
)

// HashLength is the length of "-" followed by a hash.
const HashLength = 9

// Hash returns 8 hexadecimal digits, which are the same for the same strings
// in the same order. The format must never change, because it is part of the
// names of objects.
func Hash(texts ...string) string {
	h := fnv.New64a()
	for _, s := range texts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	sum := h.Sum64()
	folded := uint32(sum>>32 ^ sum) //nolint:gosec // both halves are in it
	return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, folded))
}
