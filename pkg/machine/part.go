package machine

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// partName returns a name for what is rendered together, for objects that belong
// to no single machine. Applications that render other parts, or other VMs, have
// other names. It must never change: Jobs select machines by it.
func partName(f *fleet.Fleet) string {
	texts := append([]string{f.Part()}, slices.Sorted(slices.Values(f.VMs))...)
	return cmp.Or(f.Header.Metadata.Name, "fleet") + "-" + Hash(texts...)
}

// hashLength is the length of "-" and a hash.
const hashLength = 9

// Hash returns a name of 8 hexadecimal digits for texts, the same for the same
// texts in the same order. It must never change: objects are named by it.
func Hash(texts ...string) string {
	h := fnv.New64a()
	for _, s := range texts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	sum := h.Sum64()
	return hex.EncodeToString(binary.BigEndian.AppendUint32(nil, uint32(sum>>32^sum))) //nolint:gosec // both halves are in it
}
