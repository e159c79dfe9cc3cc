package main

import (
	"fmt"
	"slices"
	"strings"
)

// section is a part of the measurement that can run alone.
type section string

const (
	sectionFleets     section = "fleets"     // Helm and vmrender as commands
	sectionTools      section = "tools"      // the other commands at size
	sectionArgoCD     section = "argocd"     // Argo CD's servers
	sectionRepository section = "repository" // Argo CD's servers, with many Applications of one repository
)

// headings are the headings of the page's parts that a section writes.
var headings = map[section][]string{
	sectionFleets: {"## Results", "## Growth"},
	sectionTools:  {"## Plans", "## Commands at size"},
	sectionArgoCD: {
		"# Performance", "### The same objects, with the plugin and with Argo CD itself", "### The comparison afterwards",
		"### One call of cmp-server", "### One repository, many Applications",
	},
	sectionRepository: {"### A large repository after a commit"},
}

// targetsHeading is the heading of the table to which every section contributes.
const targetsHeading = "## Targets"

// Set accepts the name of a section, as a flag.
func (s *section) Set(name string) error {
	if _, known := headings[section(name)]; !known {
		return fmt.Errorf("invalid section %q; accepted: fleets, tools, argocd, repository", name)
	}
	*s = section(name)
	return nil
}

// String returns the name of the section, or "" for all.
func (s *section) String() string { return string(*s) }

// runs reports whether a section is measured.
func (opts options) runs(s section) bool { return opts.Only == "" || opts.Only == s }

// splice returns the page before the run with the parts of one section from the page of the run. Targets that the run
// did not measure keep their rows.
func splice(before, run string, only section) string {
	old := map[string]string{}
	for _, part := range parts(before) {
		old[heading(part)] = part
	}
	var text strings.Builder
	for _, part := range parts(run) {
		kept, known := old[heading(part)]
		switch {
		case !known || slices.Contains(headings[only], heading(part)):
			text.WriteString(part)
		case heading(part) == targetsHeading:
			text.WriteString(mergeTargets(kept, part))
		default:
			text.WriteString(kept)
		}
	}
	return text.String()
}

// parts divides a page before each heading.
func parts(page string) []string {
	var all []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") || len(all) == 0 {
			all = append(all, "")
		}
		all[len(all)-1] += line
	}
	return all
}

// heading returns the first line of a part.
func heading(part string) string {
	line, _, _ := strings.Cut(part, "\n")
	return line
}

// mergeTargets returns the part of the targets of a run, with the rows of unmeasured targets as they were.
func mergeTargets(before, run string) string {
	old := map[string]string{}
	for line := range strings.Lines(before) {
		old[metricOf(line)] = line
	}
	var text strings.Builder
	for line := range strings.Lines(run) {
		if kept, known := old[metricOf(line)]; known && strings.Contains(line, "| "+unmeasured+" |") {
			line = kept
		}
		text.WriteString(line)
	}
	return text.String()
}

// metricOf returns the first cell of a row.
func metricOf(row string) string {
	cells := strings.SplitN(row, " | ", 2)
	return cells[0]
}
