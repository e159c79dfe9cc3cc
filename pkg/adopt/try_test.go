package adopt

import (
	"fmt"
	"os"
	"testing"

	"github.com/vmrender/vmrender/pkg/manifest"
)

func TestTry(t *testing.T) {
	var all []manifest.Object
	at := os.Getenv("TRY")
	if at == "" {
		t.Skip()
	}
	all, err := manifest.ReadFiles(at)
	if err != nil {
		fmt.Println(err)
	}
	r, err := Import(all, Options{Name: "x", Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		fmt.Printf("--- %s\n%s", f.Path, f.Text)
	}
	exact := 0
	for _, m := range r.Machines {
		if m.Exact() {
			exact++
		}
		fmt.Println(m.Namespace, m.Name, "refused:", m.Refused, "lines", m.Lines, m.ManifestLines, len(m.Differences))
		for _, d := range m.Differences {
			fmt.Println("   ", d)
		}
	}
	fmt.Println("exact", exact, "of", len(r.Machines))
}
