package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpliceReplacesOneSection(t *testing.T) {
	before := "# Performance\nold lead\n## Results\nold\n## Plans\nold\n## Gone\nold\n" +
		"## Targets\nold words\n| a | ≤ 1 | 0.5 | met | no |\n| b | ≤ 1 | 0.5 | met | no |\n"
	run := "# Performance\nnew lead\n## Results\nnew\n## Plans\nnew\n## Commands at size\nnew\n" +
		"## Targets\nnew words\n| a | ≤ 1 | – | not measured | no |\n| b | ≤ 1 | 2 | missed | no |\n" +
		"| c | ≤ 1 | – | not measured | no |\n"
	require.Equal(t, "# Performance\nold lead\n## Results\nold\n## Plans\nnew\n## Commands at size\nnew\n"+
		"## Targets\nnew words\n| a | ≤ 1 | 0.5 | met | no |\n| b | ≤ 1 | 2 | missed | no |\n"+
		"| c | ≤ 1 | – | not measured | no |\n",
		splice(before, run, sectionTools))
}

func TestEverySectionHasItsPartsInThePage(t *testing.T) {
	made := report{RealPath: rendered(), Series: linear()}
	text, err := made.markdown()
	require.NoError(t, err)
	found := map[string]bool{}
	for _, part := range parts(text) {
		found[heading(part)] = true
	}
	require.True(t, found[targetsHeading])
	for only, all := range headings {
		for _, one := range all {
			require.True(t, found[one], "%s: %s", only, one)
		}
	}
}

func TestSectionsAreKnown(t *testing.T) {
	var only section
	require.NoError(t, only.Set("tools"))
	require.Equal(t, sectionTools, only)
	require.EqualError(t, only.Set("tool"), `invalid section "tool"; accepted: fleets, tools, argocd, repository`)
}
