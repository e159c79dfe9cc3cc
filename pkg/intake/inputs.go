package intake

import (
	"errors"

	"github.com/vmrender/vmrender/pkg/adopt"
)

// Inputs are what a user names to import from. Errors name them as arguments and flags.
type Inputs struct {
	Files      []string // files, directories, or "-" for standard input
	Cluster    bool     // --kubeconfig, --context
	Chart      string   // --from-chart: a directory, an archive, or "-" for standard input; empty if there is none
	Values     string   // --values: a file; empty if there is none
	Namespaces []string // --namespace

	Params  map[string]string // of templates, by name
	Options adopt.Options     // of the import
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
