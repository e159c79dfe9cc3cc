package report

import (
	"strings"
	"unicode"

	"github.com/vmrender/vmrender/pkg/report/problems"
)

// mdCell returns a text as a span of code for a table, which has no pipe.
func mdCell(text string, width int) string {
	return mdCode(strings.ReplaceAll(problems.Visible(text), "|", `\x7c`), width)
}

// mdCode returns a text as a span of code, in which GitHub and GitLab find no markup, links
// or mentions. It is one line of at most width characters; see [problems.Visible] for what is not
// printable.
func mdCode(text string, width int) string {
	text = cutTo(problems.Visible(text), width)
	if strings.TrimSpace(text) == "" {
		return "–"
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// longestRun returns how often a character follows itself at most.
func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

const (
	// markup is the characters that mean something in Markdown, also in tables.
	markup = "\\`*_{}[]()<>|~&$"
	// references are the characters before the names of users, issues, labels and
	// commits, which GitHub and GitLab link after Markdown is rendered.
	references = "@#!$%~&"
	// joiner is invisible, and makes the text around it no reference and no address.
	joiner = "\u2060"
)

// unlinked breaks the beginnings of addresses, and of references by words.
var unlinked = strings.NewReplacer("://", ":"+joiner+"//", "www.", "www"+joiner+".", "GH-", "GH"+joiner+"-")

// mdText returns a text of at most width characters without markup, links or mentions, but
// with code between backticks. It must not begin a line.
func mdText(text string, width int) string {
	text = cutTo(problems.Visible(text), width)
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return mdPlain(text)
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = mdPlain(parts[i])
		} else {
			parts[i] = mdCell(parts[i], width)
		}
	}
	return strings.Join(parts, "")
}

// mdPlain returns a printable text without markup, links or mentions.
func mdPlain(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range unlinked.Replace(text) {
		if strings.ContainsRune(references, last) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteString(joiner)
		}
		if strings.ContainsRune(markup, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
