package images

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// edit replaces one value of a file.
type edit struct {
	node       *source.Node
	text       string
	start, end int // byte offsets of the value in the file
}

// Update replaces the versions of all images that are behind with the current ones
// in the files of the fleet, and sets their status to updated. It changes no other
// byte of the files. If there is a problem with any image, it writes nothing. It
// returns the names of the files written.
//
// It uses the positions of the values rather than a YAML library: kyaml, like
// every library that prints a parsed tree, keeps comments but changes indentation,
// quotes and line breaks.
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
			problem = fmt.Sprintf("this version is used for images whose versions differ, %q and %q; "+
				"give each source its own", other, e.text)
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

// wordChars contains the characters of versions: names of objects and digests.
const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:"

// newEdit returns the edit that updates an image's version, or a problem.
func newEdit(image *Image) (edit, string) {
	n := image.pin
	text := image.Current
	if _, _, digest := split(n.Text); image.isContainer() && n.Text == image.Reference {
		text = strings.Replace(n.Text, "@"+digest, "@"+image.Current, 1)
	}
	e := edit{node: n, text: text}
	if n.Line == 0 { // of an option, such as --default
		return e, fmt.Sprintf("%q cannot be written here; set the version in a file of the fleet", text)
	}
	e.start = offset(n.File.Data, int(n.Line), int(n.Col))
	isOther := func(r rune) bool { return !strings.ContainsRune(wordChars, r) }
	if image.Current == "" || strings.ContainsFunc(image.Current, isOther) {
		return e, fmt.Sprintf("cannot be set to %q, which is not a version", image.Current)
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

// offset returns the byte offset of a line and column of a file.
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

// write writes the files, sorted by name: all of them, or none if one of them is not what was read. It writes a
// linked file where it is, not over the link.
func write(edits map[string][]edit) ([]string, error) {
	var b files.Batch
	defer b.Discard()
	names := slices.Sorted(maps.Keys(edits))
	written := map[string]string{} // by path without links
	for _, name := range names {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil, err
		}
		if other, twice := written[target]; twice {
			return nil, fmt.Errorf("%s: the same file as %s; nothing is written", name, other)
		}
		written[target] = name
		d, err := files.Open(filepath.Dir(target))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		if err := b.Replace(d, filepath.Base(target), edits[name][0].node.File.Data, apply(edits[name])); err != nil {
			return nil, err
		}
	}
	return names, b.Commit()
}

// apply returns the content of a file with its edits.
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

// quoted returns the new value in the style of the old one. If the old one is plain,
// the new one gets quotes if it would not be read as a string, but for example as a
// number.
func quoted(e edit) string {
	switch {
	case e.node.Style == source.SingleQuoted:
		return "'" + e.text + "'"
	case e.node.Style == source.Plain && isPlain(e.text):
		return e.text
	}
	return `"` + e.text + `"`
}

// isPlain reports whether a text without quotes is read as a string.
func isPlain(text string) bool {
	docs := source.Parse(&source.File{Data: []byte(text)}, new(source.Diagnostics))
	return len(docs) == 1 && docs[0].Kind == source.String && docs[0].Text == text && docs[0].Ambiguous() == ""
}
