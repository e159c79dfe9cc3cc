package machine

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// partName returns a name for the set of VMs that are rendered together, for
// objects that belong to no single VM. Every Application and environment has another
// name, so that fleets of one name in one namespace share no Jobs. The format must never change, because
// Jobs select VMs by it.
func partName(f *fleet.Fleet) string {
	texts := append([]string{f.Part()}, slices.Sorted(slices.Values(f.VMs))...)
	if f.Application != "" {
		texts = append(texts, "application="+f.Application)
	}
	if f.Environment != "" {
		texts = append(texts, "environment="+f.Environment)
	}
	return cmp.Or(f.Header.Metadata.Name, "fleet") + "-" + Hash(texts...)
}

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
