// Package docblocks reads the fenced blocks of Markdown pages, for tests that do what the
// pages show: run their commands, and write and compare their files.
package docblocks

import (
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// Block is a fenced block of a page.
type Block struct {
	Section string // heading that it is under, of any level; empty at the top
	Lang    string // such as console or yaml
	Text    string // lines between the fences, each with its end
	NotRun  string // why tests leave it out, which a comment before it says; empty if they do not
}

// blocks matches a heading, or a block with the comment before it. Blocks can be in list
// items: the fences and the lines between them then have the same indentation.
var blocks = lazyregexp.New("(?ms)^#+ (?P<heading>[^\n]*)$|" +
	"(?:^ *<!-- not run: (?P<reason>[^\n]*) -->\n\n?)?^(?P<indent> *)```(?P<lang>[a-z]+)\n(?P<text>.*?)^ *```$")

// Rewrite returns the page with the texts of its blocks as f returns them, from top to bottom.
func Rewrite(page string, f func(Block) string) string {
	section := ""
	return blocks().ReplaceAllStringFunc(page, func(match string) string {
		part := func(name string) string {
			return blocks().FindStringSubmatch(match)[blocks().SubexpIndex(name)]
		}
		if part("lang") == "" {
			section = part("heading")
			return match
		}
		indent := part("indent")
		text := f(Block{Section: section, Lang: part("lang"), Text: outdent(part("text"), indent), NotRun: part("reason")})
		before, _, _ := strings.Cut(match, "```")
		return before + "```" + part("lang") + "\n" + indented(text, indent) + indent + "```"
	})
}

func outdent(text, by string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, by), "\n"+by, "\n")
}

func indented(text, by string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			out.WriteString(by)
		}
		out.WriteString(line)
	}
	return out.String()
}

// Command is one of a console block, with what the page shows of its output.
type Command struct {
	Prompt string // lines from the prompt "$ " on; all but the last end in a backslash
	Output string
}

// Line returns the command as a shell reads it.
func (c Command) Line() string { return strings.TrimPrefix(c.Prompt, prompt) }

const prompt = "$ "

// Commands returns the commands of a console block. What comes before the first prompt is
// part of none.
func (b Block) Commands() []Command {
	var out []Command
	continues := false
	for line := range strings.Lines(b.Text) {
		switch {
		case strings.HasPrefix(line, prompt):
			out = append(out, Command{Prompt: line})
		case continues:
			out[len(out)-1].Prompt += line
		case len(out) > 0:
			out[len(out)-1].Output += line
		}
		continues = strings.HasSuffix(line, "\\\n") && (continues || strings.HasPrefix(line, prompt))
	}
	return out
}

// Console returns the text of a block with commands and their outputs.
func Console(commands []Command) string {
	var out strings.Builder
	for _, c := range commands {
		out.WriteString(c.Prompt + c.Output)
	}
	return out.String()
}
