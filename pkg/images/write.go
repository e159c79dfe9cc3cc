package images

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/files"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
)

// Update replaces the versions of all images that are behind with the current ones
// in the files of the fleet, and sets their status to updated. It changes nothing
// else in the files; see [edit.Replace]. If there is a problem with any image, it writes nothing. It
// returns the names of the files written.
func Update(list []Image, diags *source.Diagnostics) ([]string, error) {
	changes := map[string][]edit.Replacement{} // by file
	seen := map[source.Pos]string{}
	for i := range list {
		if list[i].Status != Behind {
			continue
		}
		pin := list[i].pin
		now, problem := list[i].updated()
		if other, twice := seen[pin.Pos()]; problem == "" && twice && other != now {
			problem = fmt.Sprintf("this version is used for images whose versions differ, %q and %q; "+
				"give each source its own", other, now)
		}
		if problem != "" {
			diags.Errorf(pin.Pos(), rule.NotUpdated, "", "%s", problem)
			continue
		}
		seen[pin.Pos()] = now
		change := edit.Replacement{Old: pin, New: &source.Node{Kind: source.String, Text: now}}
		changes[pin.File.Name] = append(changes[pin.File.Name], change)
	}
	texts := edited(changes, diags)
	if diags.HasErrors() {
		return nil, nil
	}
	files, err := write(texts)
	for i := range list {
		if err == nil && list[i].Status == Behind {
			list[i].Status = Updated
		}
	}
	return files, err
}

// wordChars contains the characters of versions: names of objects and digests.
const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:"

// updated returns the text that an image's version becomes, or a problem.
func (i *Image) updated() (text, problem string) {
	text = i.Current
	if _, _, digest := split(i.pin.Text); i.isContainer() && i.pin.Text == i.Reference {
		text = strings.Replace(i.pin.Text, "@"+digest, "@"+i.Current, 1)
	}
	isOther := func(r rune) bool { return !strings.ContainsRune(wordChars, r) }
	switch {
	case i.pin.Line == 0: // of an option, such as --default
		return "", fmt.Sprintf("%q cannot be written here; set the version in a file of the fleet", text)
	case template.Is(i.pin.Text):
		return "", fmt.Sprintf("cannot be set to %q, because it comes from a template; change what the template uses", text)
	case i.Current == "" || strings.ContainsFunc(i.Current, isOther):
		return "", fmt.Sprintf("cannot be set to %q, which is not a version", i.Current)
	}
	return text, ""
}

// text is the content of a file before and after the changes.
type text struct{ was, now []byte }

// edited returns the texts of files with the changes.
func edited(changes map[string][]edit.Replacement, diags *source.Diagnostics) map[string]text {
	out := map[string]text{}
	for name, list := range changes {
		was := list[0].Old.File.Data
		now, err := edit.Replace(name, was, list...)
		for _, d := range edit.Problems(err) {
			diags.Errorf(d.Pos, rule.NotUpdated, d.Path, "%s", d.Message)
		}
		out[name] = text{was, now}
	}
	return out
}

// write writes the files, sorted by name: all of them, or none if one of them is not what was read. It writes a
// linked file where it is, not over the link.
func write(texts map[string]text) ([]string, error) {
	var b files.Batch
	defer b.Discard()
	names := slices.Sorted(maps.Keys(texts))
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
		if err := b.Replace(d, filepath.Base(target), texts[name].was, texts[name].now); err != nil {
			return nil, err
		}
	}
	return names, b.Commit()
}
