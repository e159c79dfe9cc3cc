package approval

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Restore is one restore of a VM from a snapshot, as the annotation vmrender.io/restore names it: SNAPSHOT, or
// SNAPSHOT@TOKEN. The argument of a Job can also have what the restore is approved from: SNAPSHOT@TOKEN@FROM.
type Restore struct {
	Snapshot, Token string
	// From is the digest of what the VM is, if its loss of data is approved: 32 hexadecimal digits, or [None].
	From string
}

// ParseRestore reads the value of the annotation, or the argument of a Job. A value without a token restores nothing.
func ParseRestore(text string) Restore {
	snapshot, rest, _ := strings.Cut(text, "@")
	token, from, _ := strings.Cut(rest, "@")
	return Restore{snapshot, token, from}
}

// String returns the value of the annotation.
func (r Restore) String() string {
	if r.Token == "" {
		return r.Snapshot
	}
	return r.Snapshot + "@" + r.Token
}

// Argument returns the argument of a Job.
func (r Restore) Argument() string {
	if r.From == "" {
		return r.String()
	}
	return r.String() + "@" + r.From
}

// Object returns the name of the VirtualMachineRestore of a VM.
func (r Restore) Object(machine string) string { return machine + "-restore-" + r.Token }

// RestoreToken returns the token of the nth restore of a VM from a snapshot, from 1, as NUMBER-DIGEST. A token is for
// one VM, one snapshot and one restore, so that no copy of it restores another VM, and a VM is not restored again.
func RestoreToken(n int, namespace, name, snapshot string) string {
	number := strconv.Itoa(n)
	var text strings.Builder
	for _, part := range []string{namespace, name, snapshot, number} {
		text.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	sum := digest(text.String())
	return number + "-" + hex.EncodeToString(sum[:4])
}

// RestoreNumber returns the number of a token, or an error if it is not one of the VM and the snapshot.
func RestoreNumber(token, namespace, name, snapshot string) (int, error) {
	number, _, _ := strings.Cut(token, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || RestoreToken(n, namespace, name, snapshot) != token {
		return 0, fmt.Errorf("not a token of the VM %q and the snapshot %q; expected the one that `vmrender plan` prints",
			namespace+"/"+name, snapshot)
	}
	return n, nil
}
