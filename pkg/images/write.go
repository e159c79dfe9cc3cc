package images

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// edit replaces one value of a file.
type edit struct {
	node       *source.Node
	text       string
	start, end int // of the value as written, in bytes
}

// Update writes the current versions of all images that are behind where the
// versions stand, and marks them as updated. Every other byte of the files stays
// as it is. Nothing is written when there is a problem with any of them. It
// returns the names of the files written.
//
// It works by the positions of the values rather than through a YAML library:
// kyaml, like all that print a tree again, keeps comments but sets indentation,
// quotes and line breaks anew.
func Update(list []Image, diags *source.Diagnostics) ([]string, error) {
	edits := map[string][]edit{} // by file
	seen := map[source.Pos]string{}
	for i := range list {
		if list[i].Status != Behind {
			continue
		}
		e, problem := newEdit(&list[i])
		if other, twice := seen[e.node.Pos()]; problem == "" && twice {
			if other == e.text {
				continue
			}
			problem = fmt.Sprintf("this version is used for images whose versions differ, %q and %q; give each source its own", other, e.text)
		}
		if problem != "" {
			diags.Errorf(e.node.Pos(), rule.NotUpdated, "", "%s", problem)
			continue
		}
		seen[e.node.Pos()] = e.text
		edits[e.node.File.Name] = append(edits[e.node.File.Name], e)
	}
	if diags.HasErrors() {
		return nil, nil
	}
	files, err := write(edits)
	for i := range list {
		if err == nil && list[i].Status == Behind {
			list[i].Status = Updated
		}
	}
	return files, err
}

// wordChars are what versions are made of: names of objects and digests.
const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:"

// newEdit finds the value's bytes in its file.
func newEdit(image *Image) (edit, string) {
	n := image.pin
	text := image.Current
	if _, _, digest := split(n.Text); image.container() && n.Text == image.Reference {
		text = strings.Replace(n.Text, "@"+digest, "@"+image.Current, 1)
	}
	e := edit{node: n, text: text}
	e.start = offset(n.File.Data, int(n.Line), int(n.Col))
	if image.Current == "" || strings.ContainsFunc(image.Current, func(r rune) bool { return !strings.ContainsRune(wordChars, r) }) {
		return e, fmt.Sprintf("cannot be set to %q, which is no version", image.Current)
	}
	written := map[source.Style]string{
		source.Plain: n.Text, source.SingleQuoted: "'" + n.Text + "'", source.DoubleQuoted: `"` + n.Text + `"`,
	}[n.Style]
	if written == "" || !bytes.HasPrefix(n.File.Data[e.start:], []byte(written)) {
		return e, fmt.Sprintf("cannot be set to %q by a program; write the version as one plain or quoted word", text)
	}
	e.end = e.start + len(written)
	return e, ""
}

// offset is where a line and column of a file are in its bytes.
func offset(data []byte, line, col int) int {
	at := 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	for ; line > 1; line-- {
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			return len(data)
		}
		at += next + 1
	}
	for ; col > 1 && at < len(data); col-- {
		_, size := utf8.DecodeRune(data[at:])
		at += size
	}
	return at
}

// write writes the files, in the order of their names.
func write(edits map[string][]edit) ([]string, error) {
	files := slices.Sorted(maps.Keys(edits))
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, apply(edits[name]), info.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// apply returns the file with its edits.
func apply(edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	data, done := edits[0].node.File.Data, 0
	for _, e := range edits {
		out = append(append(out, data[done:e.start]...), quoted(e)...)
		done = e.end
	}
	return append(out, data[done:]...)
}

// quoted is the new value in the old one's style; a plain one that YAML readers
// would take for something else, such as a number, gets quotes.
func quoted(e edit) string {
	switch {
	case e.node.Style == source.SingleQuoted:
		return "'" + e.text + "'"
	case e.node.Style == source.Plain && plain(e.text):
		return e.text
	}
	return `"` + e.text + `"`
}

func plain(text string) bool {
	docs := source.Parse(&source.File{Data: []byte(text)}, new(source.Diagnostics))
	return len(docs) == 1 && docs[0].Kind == source.String && docs[0].Text == text && docs[0].Ambiguous() == ""
}
