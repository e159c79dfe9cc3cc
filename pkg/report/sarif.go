package report

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// The parts of SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.33) that are needed
// for a list of problems with positions.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// SARIF writes the problems as a SARIF 2.1.0 log with one run, which code scanning
// services accept. Columns count characters.
func SARIF(w io.Writer, v Validation) error {
	run := newSARIFRun(v.Version)
	for _, d := range v.Diagnostics {
		run.add(string(d.Rule), rule.Meaning(d.Rule), sarifResult{
			Level: level(d.Severity), Message: sarifMessage{text(d)}, Locations: sarifLocations(d.Pos, d.Path),
		})
	}
	return run.write(w)
}

// newSARIFRun returns a run without results.
func newSARIFRun(version string) *sarifRun {
	driver := sarifDriver{
		Name: "vmrender", Version: version,
		InformationURI: "https://github.com/vmrender/vmrender", Rules: []sarifRule{},
	}
	return &sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
}

// add adds a result, and its rule if it is the first of that rule.
func (r *sarifRun) add(id, meaning string, result sarifResult) {
	rules := &r.Tool.Driver.Rules
	i := slices.IndexFunc(*rules, func(rule sarifRule) bool { return rule.ID == id })
	if i < 0 {
		i = len(*rules)
		*rules = append(*rules, sarifRule{id, sarifMessage{meaning}})
	}
	result.RuleID, result.RuleIndex = id, i
	r.Results = append(r.Results, result)
}

func (r *sarifRun) write(w io.Writer) error {
	return Indented(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{*r},
	})
}

// sarifLocations returns the place in a file, and the paths of what is meant.
func sarifLocations(at source.Pos, paths ...string) []sarifLocation {
	var l sarifLocation
	if at.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(at.File)}}
		if at.Line > 0 {
			l.Physical.Region = &sarifRegion{at.Line, at.Col}
		}
	}
	for _, path := range paths {
		if path != "" {
			l.Logical = append(l.Logical, sarifLogical{path})
		}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}

// fileURI returns a relative reference for a relative path, which readers resolve
// from the root of the repository, and a file URI for an absolute path.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
