package sizing

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// measuredPage is the page that some numbers come from.
const measuredPage = "../../docs/explanation/performance.md"

// cells returns the numbers in the first row of a table of the page that begins with the given cells.
func cells(t *testing.T, heading, row string) []float64 {
	t.Helper()
	page, err := os.ReadFile(measuredPage)
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n"+heading+"\n")
	require.True(t, found, heading)
	_, line, found := strings.Cut(section, "\n| "+row+" | ")
	require.True(t, found, "%s: %s", heading, row)
	line, _, _ = strings.Cut(line, "\n")
	var numbers []float64
	for cell := range strings.SplitSeq(strings.TrimSuffix(line, " |"), " | ") {
		n, _ := strconv.ParseFloat(cell, 64) // 0 for a text
		numbers = append(numbers, n)
	}
	return numbers
}

// The numbers that come from the page are those of the page, within a quarter: they differ from run to run.
func TestNumbersOfThePage(t *testing.T) {
	t.Parallel()
	const ways = "### The same objects, with the plugin and with Argo CD itself"
	one := cells(t, ways, "1 | the plugin | file per VM | new")
	many := cells(t, ways, "10,000 | the plugin | file per VM | new")
	const repoServer, cmpServer, size = 8, 9, 10 // columns: peaks in MiB, and MiB of manifests
	const estates = "### One repository, many Applications"
	each, few := cells(t, estates, "100 | 100 | 1 | 1"), cells(t, estates, "100 | 100 | 1 | 100")
	const unpacked, packed = 2, 3 // columns: CPU s of cmp-server and of repo-server
	start := cells(t, "## Results", "1 | vmrender-cmp | file per VM | json")
	most := cells(t, "## Results", "10,000 | vmrender-cmp | one file | json")
	thousand := cells(t, "## Results", "1,000 | vmrender-cmp | one file | json")
	const peak = 2 // column: MiB
	for name, n := range map[string]struct{ page, here float64 }{
		"repo-server":                 {one[repoServer], repoServerBase},
		"its copies":                  {(many[repoServer] - one[repoServer]) / many[size], repoServerCopies},
		"cmp-server":                  {one[cmpServer], sidecarBase},
		"its copies of manifests":     {(many[cmpServer] - one[cmpServer]) / many[size], sidecarCopies},
		"vmrender-cmp":                {start[peak], processBase},
		"its copies of the manifests": {(thousand[peak] - start[peak]) * 10 / many[size], processCopies},
		"the most that it takes":      {most[peak], processMost},
		"a file in repo-server":       {(each[packed] - few[packed]) / 9900, filePacked},
		"a file in cmp-server":        {(each[unpacked] - few[unpacked]) / 9900, fileUnpacked},
	} {
		require.InEpsilon(t, n.page, n.here, 0.25, name)
	}
}
