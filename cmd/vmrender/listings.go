package main

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/versions"
)

// listing defines how one kind of catalog entries is shown.
type listing struct {
	kind   string
	header []string
	rows   func(*catalog.Set) any // for JSON: a list, never null
	cells  func(*catalog.Set) [][]string
}

// listings returns all kinds, in the order of the reference.
func listings() []listing {
	return []listing{
		list("os", (*catalog.Set).ListOS, "OS LABEL FAMILY FIRMWARE TPM CPU MEMORY ROOT USER IMAGE",
			func(r catalog.OSRow) []string {
				return []string{
					r.Name, r.Label, r.Family, r.Firmware, strconv.FormatBool(r.TPM),
					number(r.CPU), r.Memory, r.RootSize, r.User, r.Image,
				}
			}),
		list("flavors", (*catalog.Set).ListFlavors, "FLAVOR CPU MEMORY HUGEPAGES OPTIONS",
			func(r catalog.FlavorRow) []string {
				return []string{r.Name, number(r.CPU), r.Memory, r.Hugepages, strings.Join(r.Options, ",")}
			}),
		list("traits", (*catalog.Set).ListTraits, "TRAIT DESCRIPTION",
			func(r catalog.TraitRow) []string { return []string{r.Name, r.Description} }),
		list("networks", (*catalog.Set).ListNetworks, "NETWORK NAD BINDING MODEL VLAN CIDR GATEWAY", networkCells),
		list("images", (*catalog.Set).ListImages, "IMAGE SOURCE VERSION",
			func(r catalog.ImageRow) []string { return []string{r.Name, r.Source, r.Version} }),
		list("storageClasses", (*catalog.Set).ListStorageClasses, "STORAGECLASS NAME ACCESSMODE VOLUMEMODE",
			func(r catalog.StorageClassRow) []string {
				return []string{r.Name, r.Class, r.AccessMode, r.VolumeMode}
			}),
		list("features", func(*catalog.Set) []versions.Row { return versions.Rows() },
			"FEATURE PRODUCT SINCE GATE GATE-ON-SINCE FIELD",
			func(r versions.Row) []string {
				return []string{r.Name, string(r.Product), r.First(), r.Gate, r.GateOn, r.Field}
			}),
	}
}

func list[R any](kind string, rows func(*catalog.Set) []R, header string, row func(R) []string) listing {
	return listing{
		kind:   kind,
		header: strings.Fields(header),
		rows:   func(s *catalog.Set) any { return append([]R{}, rows(s)...) },
		cells: func(s *catalog.Set) [][]string {
			entries := rows(s)
			out := make([][]string, len(entries))
			for i, r := range entries {
				out[i] = row(r)
			}
			return out
		},
	}
}

func networkCells(r catalog.NetworkRow) []string {
	nad := r.NAD
	if r.Pod {
		nad = "pod network"
	}
	return []string{r.Name, nad, r.Binding, r.Model, number(r.VLAN), r.CIDR, r.Gateway}
}

// number returns a count as a cell, which is empty for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
