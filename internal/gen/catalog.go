package main

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

//go:embed catalog.md.tmpl
var catalogTemplate string

// catalogReference returns docs/reference/catalog.md, from the built-in catalog.
func catalogReference() ([]byte, error) {
	var diags source.Diagnostics
	set := catalog.New(nil, &diags)
	return execute("catalog.md", catalogTemplate, map[string][][]string{
		"Public":   publicImages(set),
		"Guests":   table(set.ListOS(), guestCells),
		"Hardware": table(set.ListOS(), hardwareCells),
		"Flavors":  table(set.ListFlavors(), flavorCells),
		"Traits":   table(set.ListTraits(), traitCells),
		"Features": table(versions.Rows(), featureCells),
	})
}

// publicImages returns the cells of the images that replace OpenShift's boot sources.
func publicImages(set *catalog.Set) [][]string {
	var lines [][]string
	for _, name := range set.Names("os") {
		if image := catalog.PublicImage(name); image != nil {
			lines = append(lines, []string{code(name), code(image.Registry)})
		}
	}
	return lines
}

// table returns the cells of all rows.
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

func traitCells(r catalog.TraitRow) []string { return []string{code(r.Name), r.Description} }

func featureCells(r versions.Row) []string {
	gate, field := "", ""
	if r.Gate != "" {
		gate = code(r.Gate)
	}
	if r.Field != "" {
		field = code(r.Field)
	}
	return []string{r.Name, string(r.Product), r.First(), gate, r.GateOn, field}
}

func flavorCells(r catalog.FlavorRow) []string {
	return []string{code(r.Name), number(r.CPU), r.Memory, r.Hugepages, code(r.Options...)}
}

// code formats words as code.
func code(words ...string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "` `") + "`"
}

// number returns a count as a cell, which is empty for 0.
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
