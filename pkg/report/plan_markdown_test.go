package report_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// evil are texts with a meaning in Markdown, HTML, GitHub, GitLab or a terminal.
var evil = []string{
	"@everyone", "#123", "GH-123", "owner/repo#1", "!7", "~bug", "$x$", "%5", "&1", "a@b.example",
	"</details><script>alert(1)</script>", "<img src=x onerror=y>", "<!-- vmrender plan -->", "-->",
	"a|b", `a\|b`, "| a | b |\n|---|---|", "```\ncode", "`", "``", "` `", "\\", "\\`",
	"[a](https://evil.example)", "![a](https://evil.example)", "https://evil.example", "www.evil.example",
	"<https://evil.example>", "# title", "1. one", "- item", "> quote", "*a* _b_ **c** ~~d~~", ":smile:",
	"a\r\n\r\nb", "\x1b[31mred", "\u202ereversed", "\xff\xfe", "&lt;b&gt;", "    indented", "   ", "+ x", "=== ",
	"::error::x", "a\n::add-mask::b", "%0A", "'\"${{ secrets.TOKEN }}\"'",
	strings.Repeat("`", 40), strings.Repeat("長", 300),
}

// hostile returns a plan of n VMs with an evil text in every field.
func hostile(n int) report.Plan {
	at := 0
	next := func() string {
		at++
		return evil[at%len(evil)]
	}
	id := func(kind string, i int) manifest.ID {
		return manifest.ID{Kind: kind, Namespace: next(), Name: fmt.Sprintf("%s%d", next(), i)}
	}
	verdict := func(kind string, i int) plan.Verdict {
		was := id(kind, i)
		v := plan.Verdict{ID: id(kind, i), Level: impact.Level(i%14 + 1), Approximate: i%2 == 0, Stopped: i%3 == 0}
		if i%5 == 0 {
			v.Was = &was
		}
		for range 3 {
			v.Causes = append(v.Causes, impact.Cause{
				Object: id("Secret", i), Path: next(), Key: next(), Level: v.Level, Code: "code", Reason: next(), Advice: next(),
				When: next(), Old: next(), New: next(), Approximate: next(), Warning: true,
			})
		}
		return v
	}
	p := &plan.Plan{}
	for i := range n {
		vm := verdict("VirtualMachine", i)
		vm.Gate = &gate.Gate{
			From: impact.Live, Max: impact.Staged, Exceeds: vm.Level, Staged: []string{next()}, Approvals: []gate.Approval{
				{Risk: gate.RiskRestart, Level: impact.Power, Token: next(), State: gate.Stale},
				{Risk: gate.RiskData, Level: impact.DataLoss, Problem: next(), State: gate.Missing},
			},
		}
		p.VMs = append(p.VMs, vm)
		p.Objects = append(p.Objects, verdict("Service", i))
		p.Jobs = append(p.Jobs, plan.Job{ID: id("Job", i), Does: next(), VMs: slices.Clone(evil)})
		p.Notes = append(p.Notes, next())
	}
	side := report.Side{
		Label: next(), Path: next(), Overlays: evil, Targets: evil, Settings: slices.Clone(evil), Exported: next(),
	}
	other := side
	other.Label, other.Overlays = next(), evil[3:]
	return report.Plan{Plan: counted(p, n), From: side, To: other, Unknown: evil, Command: next()}
}

func markdownOf(t *testing.T, p report.Plan) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, report.PlanMarkdown(&out, p))
	return out.String()
}

// parse returns Markdown as GitHub parses it.
func parse(markdown string) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(markdown)))
}

// tags matches the lines of HTML in a comment.
var tags = regexp.MustCompile(`^(<!-- vmrender plan [A-Za-z0-9%._~!$&'()*+,;=:@/…-]* -->|` +
	`<details><summary>[\w ]+</summary>|</details>)\n?$`)

// requireHarmless checks that the texts of a plan have no meaning in a comment. They create
// no link, picture or HTML, and nothing outside of code is linked by GitHub or GitLab.
func requireHarmless(t *testing.T, markdown string) {
	t.Helper()
	src := []byte(markdown)
	open, most := 0, 0
	require.NoError(t, ast.Walk(parse(markdown), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				require.True(t, tags.Match(line.Value(src)), "%q", line.Value(src))
				open += strings.Count(string(line.Value(src)), "<details>") - strings.Count(string(line.Value(src)), "</details>")
				most = max(most, open)
			}
		case *ast.Text:
			if n.Parent().Kind() != ast.KindCodeSpan {
				shown := string(n.Value(src))
				require.False(t, linked.MatchString(unescaped.Replace(shown)), "%q", shown)
			}
		case *ast.RawHTML, *ast.Link, *ast.Image, *ast.AutoLink, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote:
			require.Fail(t, "markup", "%s in %q", n.Kind(), string(n.Parent().Lines().Value(src)))
		case *ast.Heading:
			require.Equal(t, 3, n.Level)
		case *east.TableRow:
			require.Equal(t, 3, n.ChildCount())
		}
		return ast.WalkContinue, nil
	}))
	require.Zero(t, open, "a fold is not closed")
	require.LessOrEqual(t, most, 1)
}

// linked matches texts that GitHub and GitLab turn into links after rendering Markdown.
var linked = regexp.MustCompile(`(^|\W)[@#!$%~&][\pL\pN]|GH-\d|://|www\.`)

// unescaped removes the escapes of Markdown, as its readers do before they create links.
var unescaped = strings.NewReplacer(`\\`, `\`, `\`, "")

func TestMarkdownIsHarmless(t *testing.T) {
	for name, p := range plans() {
		t.Run(name, func(t *testing.T) { requireHarmless(t, markdownOf(t, p)) })
	}
	for _, n := range []int{1, 10, 50, len(evil), 500} {
		t.Run(fmt.Sprint("hostile ", n), func(t *testing.T) { requireHarmless(t, markdownOf(t, hostile(n))) })
	}
}

// Code spans show the original text everywhere: the escapes lose nothing.
func TestMarkdownShowsEveryText(t *testing.T) {
	for _, given := range evil {
		p := plans()["metadata"]
		cause := label
		cause.Key = given
		p.VMs[0].Causes = []impact.Cause{cause}
		want := strings.ReplaceAll(problems.Visible(given), "|", `\x7c`)
		if strings.TrimSpace(want) == "" || len([]rune(want)) > 200 {
			continue
		}
		n := 0
		for _, code := range codesOf(markdownOf(t, p)) {
			if strings.TrimSpace(code) == strings.TrimSpace(want) {
				n++
			}
		}
		require.Equal(t, 2, n, "%q as the key in the table and in the details: %q", want, codesOf(markdownOf(t, p)))
	}
}

// codesOf returns the texts of all code spans.
func codesOf(markdown string) []string {
	var out []string
	_ = ast.Walk(parse(markdown), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == ast.KindCodeSpan {
			var code strings.Builder
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				code.Write(c.(*ast.Text).Value([]byte(markdown)))
			}
			out = append(out, code.String())
		}
		return ast.WalkContinue, nil
	})
	return out
}

// GitHub rejects a comment of more than 65536 characters, and a missing comment looks like a
// plan without changes.
func TestMarkdownFits(t *testing.T) {
	long := strings.Repeat("n", 253)
	many := func(n int, levels ...impact.Level) report.Plan {
		p := &plan.Plan{}
		for i := range n {
			c := memory
			c.Reason = fmt.Sprint("reason ", i)
			c.Level, c.Old, c.New = levels[i%len(levels)], strings.Repeat("o", 200), strings.Repeat("n", 200)
			id := vm(fmt.Sprintf("%s-%d", long, i))
			p.VMs = append(p.VMs, plan.Verdict{ID: id, Level: c.Level, Causes: []impact.Cause{c, label}})
		}
		return report.Plan{Plan: counted(p, 10), Command: "vmrender plan -o text --verbose"}
	}
	all := impact.Levels()[1:]
	nothing := report.Plan{Plan: counted(&plan.Plan{}, 10_000), From: hostile(1).From, To: hostile(1).To, Unknown: evil}
	nothing.From.Label, nothing.To.Path = strings.Repeat("l", 100_000), strings.Repeat("p/--", 50_000)
	for _, c := range []struct {
		name string
		plan report.Plan
		want string // the text that shows how much is left out
	}{
		{"small", many(5, impact.Restart), `"`},
		{"values", many(60, impact.Restart), "Omitted, because the comment would be too long: old and new values."},
		{"mild", many(150, impact.Metadata, impact.Metadata, impact.Restart), "levels milder than staged."},
		{"details", many(110, impact.Restart), "all causes except the worst, "},
		{"names", many(190, impact.Restart), "would be too long: causes, levels milder than staged."},
		{"severe", many(1000, all...), "levels milder than delete."},
		{"10,000 of one level", many(10_000, impact.Restart), "10000 VMs: 10000 restart"},
		{"10,000 of all levels", many(10_000, all...), "the counts. All of it: `vmrender plan -o text --verbose`"},
		{"nothing changes", nothing, "nothing changes for 10000 VMs"},
		{"hostile", hostile(10_000), "everything except the counts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := markdownOf(t, c.plan)
			require.Less(t, len(got), 60_000)
			require.Positive(t, strings.Count(got, c.want), "%s", got[max(0, len(got)-300):])
			requireHarmless(t, got)
			lines := strings.SplitN(got, "\n", 3)
			require.Equal(t, report.PlanMarker(cmp.Or(c.plan.To.Path, "."), c.plan.To.Overlays...), lines[0])
			require.Equal(t, "### "+c.plan.Headline(), lines[1])
		})
	}
}

// A fleet has the same marker at every run, and another fleet has another marker.
func TestMarker(t *testing.T) {
	require.Equal(t, "<!-- vmrender plan sites/a -->", report.PlanMarker("sites/a"))
	require.Equal(t, "<!-- vmrender plan a;env/dev.yaml;-%2D.yaml -->", report.PlanMarker("a", "env/dev.yaml", "--.yaml"))
	require.Equal(t, "<!-- vmrender plan a%20-%2D%3E%0Ab -->", report.PlanMarker("a -->\nb"))
}
