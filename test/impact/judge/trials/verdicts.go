package trials

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Verdicts are the verdicts on trials, by the text of the trial and the name of the cluster.
type Verdicts map[string]map[string]string

// Add adds a verdict.
func (v Verdicts) Add(t Trial, cluster int, verdict string) {
	if v[t.String()] == nil {
		v[t.String()] = map[string]string{}
	}
	v[t.String()][Clusters[cluster].Name] = verdict
}

// Of returns the verdict on a trial in a cluster, or "" if there is none.
func (v Verdicts) Of(t Trial, cluster int) string { return v[t.String()][Clusters[cluster].Name] }

// Settle replaces verdicts by those of others that have the same level, whatever their reasons.
func (v Verdicts) Settle(others Verdicts) {
	for trial, in := range v {
		for cluster, verdict := range in {
			if other := others[trial][cluster]; level(other) == level(verdict) {
				in[cluster] = other
			}
		}
	}
}

// level returns the first part of a verdict, and whether a new VM would be refused, too.
func level(verdict string) string {
	name, _, _ := strings.Cut(verdict, ";")
	if strings.Contains(verdict, "; as a new VM, too") {
		name += ", invalid"
	}
	return name
}

// Read returns the verdicts of a file that [Verdicts.Text] has written.
func Read(path string) (Verdicts, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := Verdicts{}
	var trial map[string]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, " ") {
			trial = map[string]string{}
			out[line] = trial
			continue
		}
		clusters, verdict, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || trial == nil {
			return nil, fmt.Errorf("%s: %q is no verdict", path, line)
		}
		for cluster := range strings.SplitSeq(clusters, ",") {
			trial[cluster] = verdict
		}
	}
	return out, nil
}

// Text returns the verdicts on trials that differ from others: each trial, and below it each verdict with its clusters.
func (v Verdicts) Text(all []Trial, others Verdicts) string {
	var text strings.Builder
	for _, t := range all {
		var order []string
		names := map[string][]string{}
		for i := range Clusters {
			verdict := v.Of(t, i)
			if verdict == "" || verdict == others.Of(t, i) {
				continue
			}
			if !slices.Contains(order, verdict) {
				order = append(order, verdict)
			}
			names[verdict] = append(names[verdict], Clusters[i].Name)
		}
		if len(order) > 0 {
			fmt.Fprintln(&text, t)
		}
		for _, verdict := range order {
			fmt.Fprintf(&text, "    %s: %s\n", strings.Join(names[verdict], ","), verdict)
		}
	}
	return text.String()
}
