package main

import (
	_ "embed"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// page is the Markdown of docs/explanation/performance.md.
//
//go:embed performance.md.tmpl
var page string

// report is the content of the page.
type report struct {
	Cores   int
	Go      string // version
	System  string // operating system and architecture
	Pages   string // Linux's setting of transparent huge pages, such as madvise
	Helm    string // version
	Rounds  int
	Series  []*series
	Known   []difference
	Counted bool // instructions were counted

	RealPath realPath
}

// newReport describes this machine and the measurements on it.
func newReport(helm string, rounds int, all []*series) report {
	made := report{
		Cores:  runtime.NumCPU(),
		Go:     strings.TrimPrefix(runtime.Version(), "go"),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Pages:  hugePages(),
		Helm:   helm,
		Rounds: rounds,
		Series: all,
		Known:  knownDifferences,
	}
	for _, s := range all {
		made.Counted = made.Counted || s.Instructions > 0
	}
	return made
}

// Estate returns the number of virtual machines in an estate.
func (report) Estate() int { return estateSize }

// markdown renders the page.
func (r report) markdown() (string, error) {
	parsed, err := template.New("performance.md").Funcs(template.FuncMap{"thousands": thousands}).Parse(page)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = parsed.Execute(&text, r)
	return text.String(), err
}

// Table returns the table of all series.
func (r report) Table() string {
	head := []string{"VMs", "command", "input", "output", "CPU s", "wall s", "peak MiB", "CPU per VM", "less CPU than Helm"}
	if r.Counted {
		head = append(head, "instructions per further VM")
	}
	var rows [][]string
	for _, s := range r.Series {
		if len(s.Samples) > 0 && slices.Contains(sizes, s.Size) && !s.isPlan() && !s.isCommand() {
			rows = append(rows, r.row(s)[:len(head)])
		}
	}
	return table(head, rows)
}

func (r report) row(s *series) []string {
	counted := "–"
	if each := slope(r.Series, s.Tool, s.Layout, s.Size/10, s.Size); !math.IsNaN(each) && s.Format != "–" {
		counted = number(each/1000) + " k"
	}
	return []string{
		thousands(s.Size), s.Tool, string(s.Layout), s.Format,
		seconds(s.cpu()), seconds(s.wall()), number(mebibytes(s)), duration(perVM(s.cpu(), s.Size)),
		times(timesLess(r.Series, s)), counted,
	}
}

// Growth returns the table of growth exponents.
func (r report) Growth() string {
	head := []string{"command", "input", "output", "100 → 1,000", "1,000 → 10,000", "10,000 → 100,000", "100 → 100,000"}
	var rows [][]string
	for _, s := range r.Series {
		if s.Size != 1 || len(s.Samples) == 0 || s.Tool == toolEmpty {
			continue
		}
		step := func(from, to int) string {
			return fraction(growth(r.Series, s.Tool, s.Layout, s.Format, from, to))
		}
		rows = append(rows, []string{
			s.Tool, string(s.Layout), s.Format,
			step(100, 1_000), step(1_000, 10_000), step(10_000, 100_000), step(100, 100_000),
		})
	}
	return table(head, rows)
}

// Targets returns the table of targets and verdicts.
func (r report) Targets() string {
	return tableOf(targets(r.Series, r.RealPath))
}

func tableOf(judged []target) string {
	rows := make([][]string, 0, len(judged))
	for _, t := range judged {
		rows = append(rows, []string{t.Metric, t.must(), t.measured(), t.verdict(), t.gated()})
	}
	return table([]string{"metric", "must", "measured", "verdict", "gate"}, rows)
}

// table renders a Markdown table.
func table(head []string, rows [][]string) string {
	var text strings.Builder
	line := func(cells []string) { text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	text.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return text.String()
}

// number formats a value with three significant digits, but never drops digits of its integer part.
func number(value float64) string {
	if value == 0 {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(value)))))
	text := strconv.FormatFloat(value, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func seconds(d time.Duration) string { return number(d.Seconds()) }

// duration formats a time in a suitable unit.
func duration(d time.Duration) string {
	if d < time.Millisecond {
		return number(float64(d)/float64(time.Microsecond)) + " µs"
	}
	return number(float64(d)/float64(time.Millisecond)) + " ms"
}

func times(ratio float64) string {
	if math.IsNaN(ratio) {
		return "–"
	}
	return number(ratio) + "×"
}

func fraction(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}

// thousands formats a count with separators.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// summary returns a line for the user who watches the run.
func (r report) summary() string {
	misses := 0
	for _, t := range targets(r.Series, r.RealPath) {
		if t.verdict() == missed {
			misses++
		}
	}
	return fmt.Sprintf("%d series, %d targets missed", len(r.Series), misses)
}
