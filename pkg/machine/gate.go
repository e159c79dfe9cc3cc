package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/source"
)

// Gate contains the limits for a change of the VM, and its approvals.
type Gate struct {
	ApproveFrom string     // level of impact; empty if no change needs an approval
	MaxImpact   string     // level of impact; empty if every level is allowed
	Approvals   []Approval // by risk: restart, delete, data, gate
	Stage       bool       // whether a change that needs a restart is left for the next start
	// Approved are the tokens of the fleet's `policy.approved`, in order, which all VMs share.
	Approved []Approved
	// Held is the file that holds the VM, or nil.
	Held *held.File
	// Whole is true if all VMs of the fleet are rendered, so that a VM of a token that is not among them is gone.
	Whole bool
}

// Approved is a token of `policy.approved`, as written.
type Approved struct {
	approval.Token
	Path string // such as "policy.approved[0]"
	Pos  source.Pos
}

// Approval is one approval, as written.
type Approval struct {
	Risk  string // restart, delete, data or gate
	Token string // FROM-TO
	Path  string // such as "vms.web01.approve.restart"
	Pos   source.Pos
}

// To returns the digest of what the approval is for.
func (a *Approval) To() string {
	_, to, _ := strings.Cut(a.Token, "-")
	return to
}

// Digest returns the digest of what the VMs of an entry become, of which tokens consist: 32 hexadecimal digits, which
// differ if the texts or the limits of the gate differ. It is cut from SHA-256: no two changes with one token can
// be found.
func (g *Gate) Digest(texts ...string) string {
	h := sha256.New()
	for _, s := range append(texts, g.ApproveFrom, g.MaxImpact) {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
