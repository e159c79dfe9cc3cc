package main

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

//go:embed catalog.md.tmpl
var catalogTemplate string

// catalogReference makes docs/catalog.md from the built-in catalogue.
func catalogReference() ([]byte, error) {
	var diags source.Diagnostics
	set := catalog.New(nil, &diags)
	return execute("catalog.md", catalogTemplate, map[string][][]string{
		"Guests":   table(set.ListOS(), guestCells),
		"Hardware": table(set.ListOS(), hardwareCells),
		"Flavors":  table(set.ListFlavors(), flavorCells),
		"Traits":   table(set.ListTraits(), func(r catalog.TraitRow) []string { return []string{code(r.Name), r.Description} }),
	})
}

// table gives the cells of all rows.
func table[R any](rows []R, cells func(R) []string) [][]string {
	lines := make([][]string, len(rows))
	for i, r := range rows {
		lines[i] = cells(r)
	}
	return lines
}

func guestCells(r catalog.OSRow) []string {
	kind, where, _ := strings.Cut(r.Image, " ")
	if where != "" {
		kind += " " + code(where)
	}
	return []string{code(r.Name), r.Family, number(r.CPU), r.Memory, r.RootSize, r.User, kind, r.Label}
}

func hardwareCells(r catalog.OSRow) []string {
	return []string{code(r.Name), r.Firmware, yes(r.TPM), r.DiskBus, r.NICModel, r.Topology, code(r.Traits...)}
}

func flavorCells(r catalog.FlavorRow) []string {
	return []string{code(r.Name), number(r.CPU), r.Memory, r.Hugepages, code(r.Options...)}
}

// code sets words in the type of code.
func code(words ...string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "` `") + "`"
}

// number is a count, or an empty cell for none.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
