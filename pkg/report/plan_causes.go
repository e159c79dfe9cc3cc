package report

import (
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// PlanSharedCause is a key that several VMs read at one place, and what its change does to each of them.
type PlanSharedCause struct {
	// The key of the values file, such as "memory".
	Key string `json:"key"`
	// The file that sets it.
	File string `json:"file"`
	// The line in the file.
	Line int `json:"line"`
	// The column of the line.
	Column int `json:"column"`
	// The level of the VMs: their worst cause is this one.
	Level impact.Level `json:"level"`
	// The identifier of the rule.
	Code impact.Code `json:"code"`
	// Why, in words; NAME stands for the name of each VM.
	Reason string `json:"reason"`
	// The VMs.
	VMs []PlanObject `json:"vms"`
}

// SharedCauses returns what many VMs have in common, worst first.
func (p Plan) SharedCauses() []PlanSharedCause {
	out := []PlanSharedCause{}
	for _, g := range byLevel(p.VMs) {
		for _, f := range p.folds(g.Verdicts, summary) {
			if f.at == (source.Pos{}) {
				continue
			}
			c := &f.Causes[0]
			one := PlanSharedCause{
				Key: c.Key, File: f.at.File, Line: f.at.Line, Column: f.at.Col, Level: f.Level, Code: c.Code,
				Reason: anyName(f.Verdict, c.Reason),
			}
			for _, v := range f.all {
				one.VMs = append(one.VMs, PlanObject(v.ID))
			}
			out = append(out, one)
		}
	}
	return out
}

// Place returns where the key is set, as file:line:column.
func (c PlanSharedCause) Place() string {
	return source.Pos{File: c.File, Line: c.Line, Col: c.Column}.String()
}

// Names returns the VMs as namespace/name.
func (c PlanSharedCause) Names() []string {
	out := make([]string, 0, len(c.VMs))
	for _, vm := range c.VMs {
		out = append(out, title(manifest.ID(vm)))
	}
	return out
}
