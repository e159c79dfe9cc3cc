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

// The numbers that come from the page are those of the page. Memory is at most a quarter less than what was measured,
// and at most twice as much: the peak of a server depends on when it collects garbage. CPU times differ by at most two
// fifths, after the speed of the computer is taken out: that at which repo-server handles the manifests of a VM. It is
// not quite that for files, because most of their cost is that of system calls.
func TestNumbersOfThePage(t *testing.T) {
	t.Parallel()
	const ways = "### The same objects, with the plugin and with Argo CD itself"
	one := cells(t, ways, "1 | the plugin | file per VM | new")
	many := cells(t, ways, "10,000 | the plugin | file per VM | new")
	const handled, repoServer, cmpServer, size = 4, 8, 9, 10 // columns: CPU s and peaks in MiB, and MiB of manifests
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
	} {
		require.LessOrEqual(t, n.page, 1.25*n.here, name)
		require.LessOrEqual(t, n.here, 2*n.page, name)
	}

	const estates = "### One repository, many Applications"
	each, few := cells(t, estates, "100 | 100 | 1 | 1"), cells(t, estates, "100 | 100 | 1 | 100")
	const unpacked, packed = 2, 3 // columns: CPU s of cmp-server and of repo-server
	const files = 10_000 - 100    // that one sends more than the other
	const vm = 386e-6             // CPU s of repo-server for a VM, where the numbers here were measured
	speed := cells(t, ways, "10,000 | the plugin | one file | new")[handled] / 10_000 / vm
	for name, n := range map[string]struct{ page, here float64 }{
		"a file in repo-server": {(each[packed] - few[packed]) / files, filePacked},
		"a file in cmp-server":  {(each[unpacked] - few[unpacked]) / files, fileUnpacked},
	} {
		require.InEpsilon(t, n.page, speed*n.here, 0.4, name)
	}
}
