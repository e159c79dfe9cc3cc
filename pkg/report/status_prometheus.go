package report

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/status"
)

// Metric is a gauge that `vmrender status -o prometheus` writes.
type Metric struct {
	Name string // such as "vmrender_vm_state"
	// Labels are the names of its labels, in the order of the output.
	Labels []string
	Help   string
}

// sample is a value of a metric, with the values of its labels.
type sample struct {
	labels []string
	value  float64
}

// metricOf is a metric with the function that returns its values in a report.
type metricOf[T any] struct {
	Metric
	values func(T) []sample
}

// Metrics returns the metrics of a status, and those of a drain after them, in the order of the output.
func Metrics() []Metric {
	out := make([]Metric, 0, len(statusMetrics)+len(drainMetrics))
	for _, m := range statusMetrics {
		out = append(out, m.Metric)
	}
	for _, m := range drainMetrics {
		out = append(out, m.Metric)
	}
	return out
}

var statusMetrics = []metricOf[Status]{
	{
		Metric{
			"vmrender_vm_state",
			[]string{"namespace", "name", "kind", "state"},
			"State of a VM or pool compared with Git: 1 for the worst state of its facts.",
		},
		func(s Status) []sample { return stateSamples(s.VMs) },
	},
	{
		Metric{
			"vmrender_vm_fact",
			[]string{"namespace", "name", "kind", "code"},
			"Fact that keeps a VM or pool from being as Git has it: 1 for each code.",
		},
		func(s Status) []sample { return factSamples(s.VMs) },
	},
	{
		Metric{"vmrender_vms", []string{"state"}, "Number of VMs and pools by state."},
		func(s Status) []sample { return countSamples(s.VMs) },
	},
	{
		Metric{
			"vmrender_object_state",
			[]string{"namespace", "name", "kind", "state"},
			"State of another object that is not as Git has it: 1 for the worst state of its facts.",
		},
		func(s Status) []sample { return stateSamples(s.Objects) },
	},
	{
		Metric{"vmrender_status_gaps", nil, "Number of gaps in the inputs, on which states can depend."},
		func(s Status) []sample { return []sample{{value: float64(len(s.Unknown))}} },
	},
	{
		Metric{
			"vmrender_status_export_timestamp_seconds", nil,
			"Newest time in the state of the cluster, in seconds since 1970; missing if it contains none.",
		},
		func(s Status) []sample { return exportSamples(s.Cluster) },
	},
}

var drainMetrics = []metricOf[Drain]{
	{
		Metric{
			"vmrender_drain_vm",
			[]string{"node", "namespace", "name", "kind", "outcome", "code"},
			"Effect of a drain of the node on a VM: 1 for the outcome, with its reason.",
		},
		evictionSamples,
	},
	{
		Metric{"vmrender_drain_vms", []string{"node", "outcome"}, "Number of VMs on the node by outcome of its drain."},
		outcomeSamples,
	},
}

// StatusPrometheus writes a status as metrics in the text format of Prometheus 0.0.4, without timestamps, as the
// textfile collector of node_exporter requires. Values are sorted by their labels.
// Source: prometheus/docs, content/docs/instrumenting/exposition_formats.md; node_exporter, collector/textfile.go.
func StatusPrometheus(w io.Writer, s Status) error { return writeMetrics(w, statusMetrics, s) }

// DrainPrometheus writes a drain as metrics, in the form of [StatusPrometheus].
func DrainPrometheus(w io.Writer, d Drain) error { return writeMetrics(w, drainMetrics, d) }

// writeMetrics writes the metrics of a report.
func writeMetrics[T any](w io.Writer, metrics []metricOf[T], of T) error {
	var out strings.Builder
	for _, m := range metrics {
		m.write(&out, m.values(of))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// write writes a metric with its values, each combination of labels once. A metric without values is left out.
func (m *Metric) write(out *strings.Builder, values []sample) {
	if len(values) == 0 {
		return
	}
	slices.SortStableFunc(values, func(a, b sample) int { return slices.Compare(a.labels, b.labels) })
	values = slices.CompactFunc(values, func(a, b sample) bool { return slices.Equal(a.labels, b.labels) })
	out.WriteString("# HELP " + m.Name + " " + m.Help + "\n# TYPE " + m.Name + " gauge\n")
	for _, v := range values {
		out.WriteString(m.Name)
		for i, label := range m.Labels {
			out.WriteString([]string{"{", ","}[min(i, 1)] + label + `="` + labelValue(v.labels[i]) + `"`)
		}
		if len(m.Labels) > 0 {
			out.WriteByte('}')
		}
		out.WriteString(" " + strconv.FormatFloat(v.value, 'f', -1, 64) + "\n")
	}
}

// labelEscapes are the characters that a label value cannot contain as they are.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelValue returns a text as the value of a label, between its quotes.
func labelValue(text string) string { return labelEscapes.Replace(strings.ToValidUTF8(text, "\uFFFD")) }

// objectLabels returns the labels of an object, with one more.
func objectLabels(id manifest.ID, last string) []string {
	return []string{id.Namespace, id.Name, id.Kind, last}
}

// each returns a sample for each item of a list.
func each[T any](list []T, of func(*T) sample) []sample {
	out := make([]sample, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

func stateSamples(list []status.Standing) []sample {
	return each(list, func(v *status.Standing) sample { return sample{objectLabels(v.ID, v.State.String()), 1} })
}

func factSamples(list []status.Standing) []sample {
	var out []sample
	for i := range list {
		for j := range list[i].Facts {
			out = append(out, sample{objectLabels(list[i].ID, string(list[i].Facts[j].Code)), 1})
		}
	}
	return out
}

// countSamples returns the number of VMs in each state, also in those without any.
func countSamples(list []status.Standing) []sample {
	counts := map[status.State]int{}
	for i := range list {
		counts[list[i].State]++
	}
	return each(status.States(), func(s *status.State) sample {
		return sample{[]string{s.String()}, float64(counts[*s])}
	})
}

func evictionSamples(d Drain) []sample {
	return each(d.VMs, func(v *status.Eviction) sample {
		return sample{[]string{d.Node, v.ID.Namespace, v.ID.Name, v.ID.Kind, v.Outcome.String(), string(v.Code)}, 1}
	})
}

// outcomeSamples returns the number of VMs by outcome, also of those without any.
func outcomeSamples(d Drain) []sample {
	return each(status.Outcomes(), func(o *status.Outcome) sample {
		return sample{[]string{d.Node, o.String()}, float64(d.Counts[*o])}
	})
}

// exportSamples returns the time of the state of the cluster, or nil if it is unknown.
func exportSamples(cluster Side) []sample {
	at, err := time.Parse(time.RFC3339, cluster.Exported)
	if err != nil {
		return nil
	}
	return []sample{{value: float64(at.Unix())}}
}
