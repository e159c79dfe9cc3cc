package adopt

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Inputs are what a user names to import from. Errors name them as arguments and flags.
type Inputs struct {
	Files      []string // files, directories, or "-" for standard input
	Cluster    bool     // --kubeconfig, --context
	Chart      string   // --from-chart: a directory, an archive, or "-" for standard input; empty if there is none
	Values     string   // --values: a file; empty if there is none
	Namespaces []string // --namespace
}

// Check returns an error if there is no input, or if the inputs do not fit each other.
func (in *Inputs) Check() error {
	switch {
	case in.Cluster && len(in.Files) > 0:
		return errors.New("--kubeconfig and --context name a cluster; use them without files")
	case !in.Cluster && len(in.Files) == 0 && in.Chart == "":
		return errors.New(`no input; expected files, "-" for standard input, --from-chart, ` +
			"or --kubeconfig or --context for a cluster")
	case in.Values != "" && (in.Chart == "" || in.Chart == "-"):
		return errors.New("--values are those of a chart; use them with --from-chart")
	case !in.Cluster && len(in.Namespaces) > 1:
		return errors.New("manifests without a namespace can be in one only; give --namespace once")
	}
	return nil
}

// ReadExport reads an archive, or a directory with an image layout or a backup. It reports false for all other files
// and directories, which are manifests. A file that cannot be opened is an error, and counts as an export.
func ReadExport(path string) (objects []manifest.Object, isExport bool, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		objects, err := ReadDir(os.DirFS(path))
		return objects, objects != nil || err != nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, true, err
	}
	defer file.Close() //nolint:errcheck // nothing was written to it
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if !IsArchive(head[:n]) {
		return nil, false, nil
	}
	objects, err = ReadArchive(io.MultiReader(bytes.NewReader(head[:n]), file))
	return objects, true, err
}
