package main

// basisMutations are those of reports and pages, and of the packages that all others use.
var basisMutations = []mutation{
	// Lists that are appended.
	{
		"pkg/source/merge.go", "./pkg/source", "what is appended to a list that is appended is appended",
		`all.Style = base.Style`, `all.Style = Plain`,
	},
	{
		"pkg/writeback/write.go", "./pkg/writeback", "an entry appends only what it adds to the inherited list",
		`value.Items[len(inherited.Items):]`, `value.Items`,
	},
	// The messages of a plan.
	{
		"pkg/report/plan_markdown.go", "./pkg/report", "a comment is not longer than GitHub accepts",
		`len(text) < mostMarkdown`, `len(text) < 10*mostMarkdown`,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "a comment mentions no user",
		`b.WriteString(joiner)`, ``,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "a comment has no markup of a fleet",
		`b.WriteByte('\\')`, ``,
	},
	{
		"pkg/report/markdown.go", "./pkg/report", "the code of a comment ends where its text ends",
		"longestRun(text, '`')+1", "1",
	},
	{
		"pkg/report/status_prometheus.go", "./pkg/report", "no name of an object breaks a line of the metrics",
		`labelEscapes.Replace(strings.ToValidUTF8(text, "\uFFFD"))`, `text`,
	},
	{
		"pkg/report/status_prometheus.go", "./pkg/report", "metrics are in the same order for the same state",
		`slices.Compare(a.labels, b.labels)`, `0`,
	},
	{
		"pkg/report/plan.go", "./pkg/report", "a gate fails at its level",
		`p.Worst() >= level`, `p.Worst() > level`,
	},
	{
		"pkg/approval/token.go", "./pkg/approval", "a token is all of it",
		`nameOf(parts[0], parts[2]) != parts[1]`, `false`,
	},
	{
		"pkg/render/gateshared.go", "./pkg/report", "a token approves all of its VMs or none",
		`found == len(token.Changes) || !gate.Whole`, `found > 0`,
	},
	{
		"pkg/approval/token.go", "./pkg/report ./pkg/approval", "an approval is for no other VM of the same spec",
		`+ namespace +`, `+`,
	},
	{
		"pkg/values/limits.go", "./pkg/limits", "the stricter of two limits counts",
		`*other < *bound`, `*other > *bound`,
	},
	{
		"pkg/report/plan_steps.go", "./pkg/report", "users do not have to restart what a Job restarts",
		` || j.Restarts`, ``,
	},
	{
		"pkg/fleet/places.go", "./pkg/fleet", "an annotation stands at the nearest value above",
		`len(keys) > 0; keys`, `len(keys) > 1; keys`,
	},

	// The function of kustomize and kpt.
	{
		"pkg/krm/krm.go", "./pkg/krm", "a list without a fleet renders no empty list, of which all VMs would be pruned",
		`len(fleets) == 0`, `false`,
	},
	{
		"pkg/krm/krm.go", "./pkg/krm", "nothing of a list with an error is rendered",
		`if !failed {`, `if failed || !failed {`,
	},
	{
		"pkg/krm/config.go", "./pkg/krm", "symbolic links do not lead out of the working directory",
		`return err != nil && outside == nil`, `return err != nil && outside != nil && false`,
	},
	{
		"pkg/krm/items.go", "./pkg/krm", "what is no longer rendered does not stay in the package",
		`return pathOf(item) == file`, `return pathOf(item) == file && false`,
	},

	// What assistants can reach.
	{
		"pkg/assistant/root.go", "./pkg/assistant", "an assistant reads nothing through a link that leads out of the root",
		`return err == nil && filepath.IsLocal(rel)`, `return err == nil || filepath.IsLocal(rel)`,
	},
	{
		"pkg/assistant/root.go", "./pkg/assistant", "an assistant does not reach the cluster by its name",
		`rel == "cluster"`, `rel == "none"`,
	},
	{
		"pkg/assistant/server.go", "./pkg/assistant", "the arguments of an assistant are not flags",
		`append(append(c.Args, "--"), arguments...)`, `append(c.Args, arguments...)`,
	},

	// What everything else rests on.
	{
		"pkg/edit/edit.go", "./pkg/edit", "an edited text is read again before it is written",
		`err == nil && slices.EqualFunc(got, wanted, (*source.Node).Equal)`, `err == nil || got == nil`,
	},
	{
		"pkg/edit/replace.go", "./pkg/edit", "a comment above a key is removed with it",
		`start = e.lead(s.start)`, `start = lineStart(e.text, s.start)`,
	},
	{
		"pkg/edit/write.go", "./pkg/edit", "what YAML 1.1 reads as a boolean is quoted",
		`&& n.Ambiguous() == ""`, ``,
	},
	{
		"pkg/source/merge.go", "./pkg/source", "null removes a key",
		`return withoutNulls(over)`, `return over`,
	},
	{
		"pkg/source/parse.go", "./pkg/source", "a file may have 32 MiB",
		`len(file.Data) > MaxFileSize`, `len(file.Data) >= MaxFileSize`,
	},
	{
		"pkg/source/parse.go", "./pkg/source ./cmd/vmrender", "maps are nested at most 100 levels deep",
		`MaxDepth    = 100 `, `MaxDepth    = 1000 `,
	},
	{
		"pkg/source/subset.go", "./pkg/source", "a line of dots ends a document",
		`case s.atMarker('.'):`, `case false:`,
	},
	{
		"pkg/source/full.go", "./pkg/source", "no document is read twice after a syntax error",
		`for at = max(0, at-1); ; {`, `for at = 0; ; {`,
	},
	{
		"pkg/source/marks.go", "./pkg/source", "a syntax error is reported where it is",
		`mark(parser, "problem_mark")`, `mark(parser, "context_mark")`,
	},
	{
		"pkg/source/accept.go", "./pkg/source", "JSON may write emoji as pairs of escapes",
		`return joinSurrogates(acceptVersion(text))`, `return acceptVersion(text)`,
	},
	{
		"pkg/manifest/readyaml.go", "./pkg/manifest", "no object of a stream is skipped",
		`err = checkEnd(text)`, `err = nil`,
	},
	{
		"pkg/manifest/object.go", "./pkg/layers", "objects are in the order of their names",
		`cmp.Compare(id.Name, other.Name),`, `cmp.Compare(other.Name, id.Name),`,
	},
	{
		"pkg/catalog/data/flavors.yaml", "./pkg/catalog", "the size of a flavor",
		"\nsmall: {cpu: 1, memory: 2Gi}", "\nsmall: {cpu: 1, memory: 1Gi}",
	},
	{
		"internal/golden/golden.go", "./internal/golden", "golden files are compared",
		`require.Equal(t, string`, `require.NotNil(t, string`,
	},

	// Web pages.
	{
		"pkg/report/html/html.go", "./pkg/report/html", "a page makes no request",
		`default-src 'none'; `, ``,
	},
	{
		"pkg/report/html/list.go", "./pkg/report/html", "the page of a large plan stays small",
		`texts.size > mostText`, `texts.size < 0`,
	},
}
