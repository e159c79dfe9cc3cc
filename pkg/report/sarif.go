package report

import (
	"io"
	"net/url"
	"path/filepath"

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
		ID               rule.ID      `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifResult struct {
		RuleID    rule.ID         `json:"ruleId"`
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
	rules, index := sarifRules(v.Diagnostics)
	results := make([]sarifResult, 0, len(v.Diagnostics))
	for _, d := range v.Diagnostics {
		results = append(results, sarifResult{
			RuleID: d.Rule, RuleIndex: index[d.Rule], Level: level(d.Severity),
			Message: sarifMessage{text(d)}, Locations: sarifLocations(d),
		})
	}
	driver := sarifDriver{
		Name: "vmrender", Version: v.Version,
		InformationURI: "https://github.com/vmrender/vmrender", Rules: rules,
	}
	return Indented(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results,
		}},
	})
}

// sarifRules returns every rule once, in the order of first use, and their indexes.
func sarifRules(list []source.Diagnostic) ([]sarifRule, map[rule.ID]int) {
	rules, index := []sarifRule{}, map[rule.ID]int{}
	for _, d := range list {
		if _, ok := index[d.Rule]; !ok {
			index[d.Rule] = len(rules)
			rules = append(rules, sarifRule{d.Rule, sarifMessage{rule.Meaning(d.Rule)}})
		}
	}
	return rules, index
}

func sarifLocations(d source.Diagnostic) []sarifLocation {
	var l sarifLocation
	if d.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(d.File)}}
		if d.Line > 0 {
			l.Physical.Region = &sarifRegion{d.Line, d.Col}
		}
	}
	if d.Path != "" {
		l.Logical = []sarifLogical{{d.Path}}
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
