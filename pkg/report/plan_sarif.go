package report

import "io"

// PlanSARIF writes the findings as a SARIF 2.1.0 log, as [SARIF] does, the worst first. A
// value that many VMs inherit is one result, with the names of the first of them.
func PlanSARIF(w io.Writer, p Plan) error {
	run := newSARIFRun(p.Version)
	findings := p.findings()
	for i := range findings {
		f := &findings[i]
		run.add(string(f.code), f.reason, sarifResult{
			Level: f.severity(), Message: sarifMessage{f.message()},
			Locations: sarifLocations(f.pos, f.names[:min(len(f.names), fewest)]...),
		})
	}
	return run.write(w)
}
