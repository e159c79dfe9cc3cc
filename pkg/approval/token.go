// Package approval has the form of the tokens of `policy.approved`, each of which approves one change of several VMs.
//
// The gate in the cluster compares what a VM was and what it becomes with what is written at the VM, and rendering
// knows no earlier commit. So a token is not only a digest: it lists the changes that it approves, and gives exactly
// what an approval of each VM would give.
package approval

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// None is the digest of a VM that was not under a gate.
const None = "none"

// digestSize is the number of bytes of a digest, which is cut from SHA-256.
const digestSize = 16

// RiskData is the risk of losing data.
const RiskData = "data"

// risks are what approvals are for, in the order in which they are written.
var risks = []string{"restart", "delete", RiskData, "gate"}

// Risks returns what an approval can be for, in the order in which they are written.
func Risks() []string { return slices.Clone(risks) }

// VM identifies a VM and what it becomes: a digest of its namespace, its name and the digest of its spec, so that no
// other VM can use what is approved for it.
type VM [digestSize]byte

// VMOf returns the identity of a VM that becomes what a digest names.
func VMOf(namespace, name, to string) VM {
	return VM(digest(strconv.Itoa(len(namespace)) + ":" + namespace + strconv.Itoa(len(name)) + ":" + name + to))
}

// Change is the change of one VM.
type Change struct {
	VM   VM
	From string // the digest of what the VM was, 32 hexadecimal digits, or [None]
}

// Token approves changes for some risks.
type Token struct {
	Risks   []string // restart, delete, data, gate: at least one, in this order
	Changes []Change // at least one, one for each VM
}

// Name returns the digest of the token, 32 hexadecimal digits, by which messages name it.
func (t *Token) Name() string { return nameOf(t.head(), t.list()) }

// String returns the token as it is written: RISKS.NAME.LIST, such as "restart+data.1a2b….AAAA". Changes are sorted,
// so that it has one spelling.
func (t *Token) String() string {
	head, list := t.head(), t.list()
	return head + "." + nameOf(head, list) + "." + list
}

func (t *Token) head() string { return strings.Join(t.Risks, "+") }

// list returns the changes in base64: what each VM becomes, and what it was.
func (t *Token) list() string {
	sorted := slices.SortedFunc(slices.Values(t.Changes), compare)
	out := make([]byte, 0, 2*digestSize*len(sorted))
	for _, c := range sorted {
		from := make([]byte, digestSize) // of None
		if c.From != None {
			_, _ = hex.Decode(from, []byte(c.From)) // always a digest
		}
		out = append(append(out, c.VM[:]...), from...)
	}
	return base64.RawURLEncoding.EncodeToString(out)
}

func compare(a, b Change) int {
	return cmp.Or(bytes.Compare(a.VM[:], b.VM[:]), strings.Compare(a.From, b.From))
}

func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:digestSize]
}

func nameOf(head, list string) string { return hex.EncodeToString(digest(head + "." + list)) }

// Parse reads a token. The error says in a few words what is wrong.
func Parse(text string) (Token, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Token{}, errors.New("not of the form RISKS.NAME.LIST")
	}
	t := Token{Risks: strings.Split(parts[0], "+")}
	if !inOrder(t.Risks) {
		return Token{}, errors.New("unknown risks, or in another order than " + strings.Join(risks, "+"))
	}
	if nameOf(parts[0], parts[2]) != parts[1] {
		return Token{}, errors.New("incomplete or changed")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) == 0 || len(raw)%(2*digestSize) != 0 {
		return Token{}, errors.New("incomplete or changed")
	}
	for each := range slices.Chunk(raw, 2*digestSize) {
		c := Change{VM: VM(each), From: hex.EncodeToString(each[digestSize:])}
		if c.From == strings.Repeat("0", 2*digestSize) {
			c.From = None
		}
		if n := len(t.Changes); n > 0 && bytes.Compare(t.Changes[n-1].VM[:], c.VM[:]) >= 0 {
			return Token{}, errors.New("incomplete or changed")
		}
		t.Changes = append(t.Changes, c)
	}
	return t, nil
}

// inOrder reports whether all are risks, each once and in their order.
func inOrder(list []string) bool {
	last := -1
	for _, r := range list {
		i := slices.Index(risks, r)
		if i <= last {
			return false
		}
		last = i
	}
	return true
}

// Split returns the digests of the approval of one VM, FROM-TO, and whether it has that form.
func Split(token string) (from, to string, ok bool) {
	from, to, _ = strings.Cut(token, "-")
	return from, to, (from == None || isDigest(from)) && isDigest(to)
}

func isDigest(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 2*digestSize && strings.ToLower(text) == text
}
